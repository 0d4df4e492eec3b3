import type { SourceStory, Warnings } from '../files/source';
import { STORY_LIMITS } from './limits';

/**
 * Returns a function that reads points: `5`, `5.0` and, if no number of the file has a decimal point, `5,0`.
 * For a text that points may not be it returns null and adds a warning.
 */
export function pointsReader(
  stories: readonly SourceStory[],
  warnings: Warnings,
): (points: string | number | null, line: number) => number | null {
  const { maximum } = STORY_LIMITS.points;
  const has = (pattern: RegExp): boolean =>
    stories.some(({ points }) => typeof points === 'string' && pattern.test(points));
  const hasComma = has(/^\s*\d+,\d+\s*$/) && !has(/^\s*\d+\.\d+\s*$/);
  return (points, line) => {
    const text = String(points ?? '').trim();
    if (text === '') return null;
    const decimal = hasComma ? text.replace(',', '.') : text;
    const number = /^\d+(\.\d+)?$/.test(decimal) ? Number(decimal) : NaN;
    const isValid = number <= maximum && Math.round(number * 100) / 100 === number;
    if (isValid) return number;
    warnings.at('points_invalid', line, `"${text}"`);
    return null;
  };
}
