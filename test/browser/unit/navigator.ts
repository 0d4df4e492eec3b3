// Formats of numbers and dates use the languages of the browser, which Node.js 20 lacks.
Object.defineProperty(globalThis, 'navigator', {
  value: { languages: ['en'] },
  configurable: true,
});
