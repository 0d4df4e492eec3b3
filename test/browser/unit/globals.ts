// What the modules under test use of a browser, and Node.js 20 lacks.
Object.defineProperty(globalThis, 'navigator', {
  value: { languages: ['en'] },
  configurable: true,
});
globalThis.addEventListener = () => undefined;
