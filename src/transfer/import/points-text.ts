import type { SourceStory, Warnings } from '../files/source';

const MAX_POINTS = 1000;

/**
 * Returns a function that reads points: `5`, `5.0` and, if no number of the file has a decimal point, `5,0`.
 * If a text is not a number from 0 to 1,000 with at most two decimals, it returns null and adds a warning.
 */
export function pointsReader(
  stories: readonly SourceStory[],
  warnings: Warnings,
): (points: string | number, line: number) => number | null {
  const has = (pattern: RegExp): boolean =>
    stories.some(({ points }) => typeof points === 'string' && pattern.test(points));
  const hasComma = has(/^\s*\d+,\d+\s*$/) && !has(/^\s*\d+\.\d+\s*$/);
  return (points, line) => {
    const text = String(points).trim();
    if (text === '') return null;
    const decimal = hasComma ? text.replace(',', '.') : text;
    const number = /^\d+(\.\d+)?$/.test(decimal) ? Number(decimal) : NaN;
    if (number <= MAX_POINTS && Math.round(number * 100) / 100 === number) return number;
    warnings.at('points_invalid', line, `"${text}"`);
    return null;
  };
}
