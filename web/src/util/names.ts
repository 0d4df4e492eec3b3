/** Text that browsers write from right to left, such as Arabic and Hebrew. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name in a sentence: if it is written from right to left, the order of the words around it stays the same. */
export const isolated = (name: string): string =>
  RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;

/** Who made a change, in a sentence. */
export const whoOf = (actor: string): string =>
  actor === 'anonymous' ? 'Someone' : isolated(actor);

/** A title in a sentence, in quotation marks. */
export const quoted = (title: string): string => `“${isolated(title)}”`;
