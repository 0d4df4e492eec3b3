import { formatNumber } from './format';

/** The most characters of the title of a story or a task. */
export const MAX_TITLE = 255;

/** The error of a text that has more than `max` characters. */
export const tooLong = (max: number): string => `At most ${formatNumber(max)} characters.`;

/** Whether a text has more than `max` characters, as the service counts them: code points. */
export const isLonger = (text: string, max: number): boolean =>
  text.length > max && [...text].length > max;
