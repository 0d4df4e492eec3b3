/** The integer that a user has typed; NaN for any other text, such as 1e3. */
export const parseInteger = (text: string): number =>
  /^[-+]?\d+$/.test(text.trim()) ? Number(text) : NaN;

/**
 * The number that a user has typed: digits with at most two decimals after a point or a comma; NaN for any other text.
 * Three digits after the separator are not accepted, because “1,000” is one in some languages and a thousand in others.
 */
export function parseNumber(text: string): number {
  const typed = text.trim();
  return /^\d+([.,]\d{1,2})?$/.test(typed) ? Number(typed.replace(',', '.')) : NaN;
}
