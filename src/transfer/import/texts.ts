import { isLonger } from '../../http/validation/text';
import type { Warnings } from '../files/source';
import { SPRINT_LIMITS, STORY_LIMITS } from './limits';

/** The most characters of each field, by its name in warnings. */
const MAX = {
  external_id: STORY_LIMITS.external_id.maxLength,
  title: STORY_LIMITS.title.maxLength,
  description: STORY_LIMITS.description.maxLength,
  assignee: STORY_LIMITS.assignee.maxLength,
  label: STORY_LIMITS.labels.items.maxLength,
  sprint_name: SPRINT_LIMITS.name.maxLength,
  sprint_goal: SPRINT_LIMITS.goal.maxLength,
};
type Field = keyof typeof MAX;

/** Characters that a title must not have: controls, the zero-width space, the byte order mark. */
const INVISIBLE = /[\p{Cc}\u200B\uFEFF]/gu;
/** Control characters except tabs and line breaks, which texts of several lines keep. */
const CONTROLS = /[^\P{Cc}\t\n\r]/gu;

/** Of a text of one line, no more characters are read: in a file, any number of stories may share a long one. */
const MAX_LINE = 2000;

/** Adapts texts of a file to the limits of their fields, and warns of what it changed. */
export class Texts {
  constructor(readonly warnings: Warnings) {}

  /** A text of one line, trimmed; null if nothing is left. */
  line(text: string | null, field: Field, place: number | string): string | null {
    const start = text?.slice(0, MAX_LINE) ?? '';
    const plain = start
      .replace(/[\t\n\r\v\f]+/g, ' ')
      .replace(INVISIBLE, '')
      .toWellFormed()
      .trim();
    if (plain !== start.trim())
      this.warnings.at('characters_removed', place, `${field} "${plain}"`);
    return this.cut(plain, field, place) || null;
  }

  /** A text of any number of lines; null if nothing is left. */
  block(text: string | null, field: Field, place: number | string): string | null {
    if (text === null) return null;
    const plain = text.replace(CONTROLS, '').toWellFormed();
    if (plain !== text) this.warnings.at('characters_removed', place, field);
    return plain.trim() === '' ? null : this.cut(plain, field, place);
  }

  /** At most as many code points as the field may have. */
  private cut(text: string, field: Field, place: number | string): string {
    const max = MAX[field];
    if (!isLonger(text, max)) return text;
    this.warnings.at(
      `${field}_cut`,
      place,
      `"${text.slice(0, 100)}…" has more than ${max} characters`,
    );
    return [...text.slice(0, 2 * max)].slice(0, max).join('').trimEnd();
  }
}
