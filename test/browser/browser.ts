import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { chromium } from 'playwright-core';
import { chromiumBinary } from '../support/chromium';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import type { TestDatabase } from '../support/databases';
import { afterwards } from '../support/faults';

// The browser connects to nothing but the service.
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let browser: Browser | undefined;

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: chromiumBinary(), args: ARGUMENTS });
});
afterAll(() => browser?.close());

/** Milliseconds that a test waits for a state. On a busy machine ten seconds were too few. */
const MAX_WAIT_MS = 30_000;

/** The built page. */
const WEB = join(__dirname, '../../dist/web');

/** Starts the service with the built page, on its own database unless one is given. */
export async function startService(
  database?: TestDatabase,
  environment?: Record<string, string>,
): Promise<TestApp> {
  const service = await startApp({ engine: 'sqlite', database, environment, web: WEB });
  afterwards(() => service.close());
  return service;
}

/** The pending requests of each page; streams, and requests that a test holds, do not count. */
const unanswered = new WeakMap<Page, Set<Request>>();

function followRequests(page: Page): void {
  const requests = new Set<Request>();
  unanswered.set(page, requests);
  const end = (request: Request): void => void requests.delete(request);
  page.on('request', (request) => {
    if (!/\/stream\?/.test(request.url())) requests.add(request);
  });
  page.on('requestfinished', end);
  page.on('requestfailed', end);
}

/** Resolves after three frames: one response may change the page more than once, each time in the next frame. */
export const drawn = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }
  });

/** Waits until a page has no pending requests and has drawn the responses. */
export async function settled(page: Page): Promise<void> {
  const requests = unanswered.get(page)!;
  // Drawing may cause requests.
  for (let isSettled = false; !isSettled;) {
    isSettled = requests.size === 0;
    await drawn(page);
    isSettled &&= requests.size === 0;
  }
}

/** Opens a page in a new context; an error of a script or of the content security policy fails the test. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  if (!browser) throw new Error('there is no browser');
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    // It requests all scripts, and only tests of a start without a connection need it.
    serviceWorkers: 'block',
    ...options,
  });
  const page = await context.newPage();
  followRequests(page);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) errors.push(message.text());
  });
  afterwards(async () => {
    await context.close();
    expect(errors).toEqual([]);
  });
  page.setDefaultTimeout(MAX_WAIT_MS);
  await page.goto(url);
  return page;
}

/**
 * Adds a route, as `page.route` does, and waits until it intercepts the requests of the page. On a busy machine, a
 * request that is sent directly after `page.route` may not be intercepted.
 */
export async function route(page: Page, ...given: Parameters<Page['route']>): Promise<void> {
  await page.route(...given);
  // This route stays: when the last one is removed, a request that is sent meanwhile never gets a response.
  await page.route('**/probe', (request) => request.fulfill({ body: 'intercepted' }));
  if (page.url() === 'about:blank') return;
  const probe = (): Promise<string> =>
    page.evaluate(async () => (await fetch('/probe').catch(() => undefined))?.text() ?? '');
  while ((await probe()) !== 'intercepted');
}

/** Holds the response to the next request of a path, which is that of the time of the request. */
export async function hold(page: Page, path: RegExp, method = 'GET') {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let isFirst = true;
  const isHeld = (url: URL): boolean => path.test(url.pathname + url.search);
  await route(page, isHeld, async (route) => {
    if (route.request().method() !== method || !isFirst) return route.fallback();
    isFirst = false;
    const response = await route.fetch();
    const requests = unanswered.get(page);
    requests?.delete(route.request());
    arrive();
    await released;
    requests?.add(route.request());
    return route.fulfill({ response });
  });
  return { arrived, release };
}

/** Delays the requests for a URL pattern; resolves with a function that releases them. */
export async function delay(page: Page, pattern: string): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await route(page, pattern, async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}

/** The violations that axe finds in the page. */
export async function axe(page: Page): Promise<string[]> {
  // Through the debugger, because the content security policy blocks injected scripts.
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run();
    return violations.map((each: any) => `${each.id}: ${each.nodes[0].html}`);
  });
}

/** The list with a name, such as a column of the board. */
export const list = (page: Page, name: string): Locator =>
  page.getByRole('list', { name, exact: true });

/** The card of a story in a list. */
export const card = (page: Page, column: string, title: string): Locator =>
  list(page, column).getByRole('listitem', { name: title });

/** The titles of a list, in their order. */
export const titles = (page: Page, column: string): Promise<string[]> =>
  list(page, column).getByRole('listitem').getByRole('link').allTextContents();

/** Opens a page without the live stream, so that it does not get the changes of others. */
export async function openPageWithoutStream(url: string): Promise<Page> {
  const page = await openPage('about:blank');
  await route(page, '**/stream?*', (route) => route.abort());
  await page.goto(url);
  return page;
}

/** Reloads a page with typed text, and stays on it when the browser asks. */
export async function stayOnReload(page: Page): Promise<void> {
  const asked = page.waitForEvent('dialog');
  await page.evaluate('void setTimeout(() => location.reload())');
  const question = await asked;
  expect(question.type()).toBe('beforeunload');
  await question.dismiss();
}

/** Reloads a page about which the browser must not ask. */
export async function reloadUnasked(page: Page): Promise<void> {
  // It would dismiss a question, and the page would not be loaded again.
  page.on('dialog', (other) => void other.dismiss());
  await page.reload();
}

/** Waits until a function or an expression has a value in the page. */
export const until = <T>(page: Page, read: string | (() => Promise<T>), value: T): Promise<void> =>
  untilRead(() => page.evaluate<T>(read as string), value);

/** Waits until a function of the test returns a value. */
export async function untilRead<T>(read: () => Promise<T>, value: T): Promise<void> {
  const end = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const seen = await read();
    if (seen === value) return;
    if (Date.now() > end) throw new Error(`${String(seen)} instead of ${String(value)}`);
  }
}

/** The name of the focused element. */
export const focusedName = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
