/** Replaces the control characters in a text, which may come from a file or a service: a terminal would execute them. */
export const printable = (text: string): string => text.replace(/(?!\n)\p{Cc}/gu, '\uFFFD');
