/**
 * Whether a key is meant for the input method that composes a word. Safari ends the composition before the key that
 * ends it, which then only has the code of a key of an input method.
 */
export const isComposing = (event: KeyboardEvent): boolean =>
  event.isComposing || event.keyCode === 229;
