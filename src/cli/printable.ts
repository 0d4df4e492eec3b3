/** Replaces control characters, which a terminal would execute, in a text that may come from a file or a service. */
export const printable = (text: string): string => text.replace(/(?!\n)\p{Cc}/gu, '\uFFFD');
