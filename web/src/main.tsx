import { render } from 'preact';
import { onUnauthorized } from './api/client';
import { App } from './app';
import { Messages } from './components/messages';
import { expire, loadSession } from './state/session';
import { followRoute } from './state/stores';
import { whenIdle } from './util/retry';

onUnauthorized.call = expire;
void loadSession();
followRoute();

const root = document.getElementById('app');
if (root) render(<App />, root);
const messages = document.getElementById('messages');
if (messages) render(<Messages />, messages);
// The service worker, for a start without a connection, loads all scripts. It exists only on https and localhost.
whenIdle(() => void navigator.serviceWorker?.register('/service-worker.js').catch(() => undefined));
