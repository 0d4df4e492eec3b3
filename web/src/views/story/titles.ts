/** The title in a line of a list: without its bullet, number or check box. */
const titleOf = (line: string): string =>
  line
    .trim()
    .replace(/^([-*•–]|\d{1,3}[.)])\s+/, '')
    .replace(/^\[[ xX]?\]\s+/, '')
    .trim();

/** The titles in the lines of a text that are not empty. */
export const titlesOf = (text: string): string[] =>
  text.split(/\r?\n/).map(titleOf).filter(Boolean);
