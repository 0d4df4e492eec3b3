/**
 * A text with the line breaks that a text field has. A program or a file may have saved others, and then the text would
 * differ from the same text in the field.
 */
export const withTypedBreaks = (text: string): string => text.replace(/\r\n?/g, '\n');
