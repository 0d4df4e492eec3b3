import { render } from 'preact';
import { onUnauthorized } from './api/client';
import { App } from './app';
import { Messages } from './components/messages';
import { expire, loadSession } from './state/session';

onUnauthorized.call = expire;

const root = document.getElementById('app');
if (root) render(<App />, root);
const messages = document.getElementById('messages');
if (messages) render(<Messages />, messages);
void loadSession();
// For a start without a connection. It exists only on https and localhost.
navigator.serviceWorker?.register('/service-worker.js').catch(() => undefined);
