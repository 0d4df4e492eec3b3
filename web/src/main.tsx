import { render } from 'preact';
import { onUnauthorized } from './api/client';
import { App } from './app';
import { loadSession, session } from './state/session';

onUnauthorized.call = () => {
  session.value = null;
};

const root = document.getElementById('app');
if (root) render(<App />, root);
void loadSession();
