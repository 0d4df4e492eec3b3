import { withPauses } from '../../time/time-slice';
import type { SourceStory, Warnings } from '../files/source';
import { STORY_LIMITS } from './limits';

export type PointsReader = (points: string | number | null, line: number) => number | null;

/**
 * Returns a function that reads points: `5`, `5.0` and, if no number of the file has a decimal point, `5,0`.
 * For a text that points may not be it returns null and adds a warning.
 */
export async function pointsReader(
  stories: readonly SourceStory[],
  warnings: Warnings,
): Promise<PointsReader> {
  const { maximum } = STORY_LIMITS.points;
  let hasComma = false;
  let hasPoint = false;
  for await (const { points } of withPauses(stories)) {
    if (typeof points !== 'string') continue;
    hasComma ||= /^\s*\d+,\d+\s*$/.test(points);
    hasPoint ||= /^\s*\d+\.\d+\s*$/.test(points);
  }
  return (points, line) => {
    const text = String(points ?? '').trim();
    if (text === '') return null;
    const decimal = hasComma && !hasPoint ? text.replace(',', '.') : text;
    const number = /^\d+(\.\d+)?$/.test(decimal) ? Number(decimal) : NaN;
    const isValid = number <= maximum && Math.round(number * 100) / 100 === number;
    if (isValid) return number;
    warnings.at('points_invalid', line, `"${text}"`);
    return null;
  };
}
