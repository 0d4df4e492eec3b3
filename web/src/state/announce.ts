import { signal } from '@preact/signals';
import { quoted } from '../util/names';
import { afterFrame } from '../util/retry';

/** The text of the polite live region. */
export const announcement = signal('');

export interface Toast {
  id: number;
  text: string;
  isError: boolean;
  action?: { name: string; run: () => void };
}

export const toasts = signal<readonly Toast[]>([]);

let lastId = 0;

/** Milliseconds for which the announcement of what the user did is not replaced by changes of others. */
const OWN_MS = 2000;
let ownAt = -OWN_MS;
/** The last change that the user made, and its time. */
let change = { text: '', at: -OWN_MS };

/** Announces a change to screen readers. */
export function announce(text: string): void {
  change = { text, at: performance.now() };
  showOwn(text);
}

/** Announces the view that a link has opened, after what leaving the former view has announced. */
export function announceView(title: string): void {
  const isRecent = performance.now() < change.at + OWN_MS;
  showOwn(isRecent ? `${change.text.replace(/\.$/, '')}. ${title}` : title);
}

function showOwn(text: string): void {
  ownAt = performance.now();
  show(text);
}

function show(text: string): void {
  // A screen reader reads the same text again only if the region changes.
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}

/** The changes of others that are not announced yet. */
let others: string[] = [];

/** Announces a change of someone else; changes within 300 ms share an announcement. */
export function announceOther(text: string): void {
  if (others.push(text) === 1) setTimeout(showOthers, 300);
}

function showOthers(): void {
  const left = ownAt + OWN_MS - performance.now();
  if (left > 0) {
    setTimeout(showOthers, left);
    return;
  }
  const [first = ''] = others;
  show(others.length === 1 ? first : `${first}, and ${others.length - 1} more`);
  others = [];
}

/** Shows a message for a few seconds; an error stays until it is closed. */
export function toast(text: string, options: { isError?: boolean; action?: Toast['action'] } = {}) {
  const { isError = false, action } = options;
  const entry = { id: ++lastId, text, isError, action };
  // After the change itself is drawn.
  void afterFrame().then(() => {
    // One message at a time besides errors, which stay until they are closed.
    toasts.value = [...toasts.value.filter((each) => each.isError), entry];
    if (!isError) closeAfter(6000, entry.id);
  });
}

/** Closes a message later; not while the pointer or the focus is on the messages. */
function closeAfter(ms: number, id: number): void {
  setTimeout(() => {
    const isUsed = document.querySelector('.toasts:is(:hover, :focus-within)') !== null;
    if (isUsed) closeAfter(1000, id);
    else closeToast(id);
  }, ms);
}

/** Announces what was done, and shows it as a message. */
export function report(text: string, action?: Toast['action']): void {
  announce(text);
  toast(text, { action });
}

export const alertError = (text: string): void => toast(text, { isError: true });

/** Closes the messages about what was done. */
export function closeReports(): void {
  toasts.value = toasts.value.filter((each) => each.isError);
}

export function closeToast(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

/** Announces that a dialog was closed with unsaved changes, and offers to open it again. */
export function announceUnsaved(title: string, open: () => void): void {
  report(`${quoted(title)} is not saved`, { name: 'Edit again', run: open });
}
