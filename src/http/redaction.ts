/** Masks tokens in a string for the log. */
export function withoutTokens(text: string): string {
  return text.includes('spl_') ? text.replace(/spl_[0-9a-f]{16}_[\w-]*/g, 'spl_...') : text;
}
