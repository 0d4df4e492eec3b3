import { withPauses } from '../../time/time-slice';
import { requireFields } from '../files/columns';
import { InvalidFile } from '../files/invalid-file';
import { fieldsOf, textOf } from '../files/json';
import type { Warnings } from '../files/source';
import type { Mapping } from '../import/import.dto';
import { comparable } from '../import/known-names';
import type { JiraField } from './jira-names';
import { jiraField } from './jira-names';

/** The values of the custom fields of an issue. */
interface CustomValues {
  points: string | number | null;
  /** The key of its epic. */
  epicLink: string | null;
  epicName: string | null;
  rank: string | null;
}

interface DecidedFields {
  /** The field that each custom field is read as. */
  columns: Record<string, string | null>;
  /** The values of an issue, by its number. */
  of: (line: number) => CustomValues;
}

/** Decides about a field by its id. */
type Condition = (id: string) => boolean | Promise<boolean>;

const KEY = /^[A-Z][A-Z0-9_]*-\d+$/;
const RANK = /^\d\|[0-9a-z]+:/;
/** Ids that fields have on new sites of Jira Cloud. */
const USUAL_POINTS = 'customfield_10016';
const USUAL_EPIC_NAME = 'customfield_10011';

/** The most different fields of a file: several times as many as a large Jira has. Each takes time and memory. */
const MAX_FIELDS = 10_000;

/** @throws InvalidFile if a file has too many different fields */
export function requireFewFields(count: number): void {
  if (count <= MAX_FIELDS) return;
  throw new InvalidFile(
    `The file has more than ${MAX_FIELDS} different fields of Jira; request fewer.`,
  );
}

/**
 * Detects which custom fields contain points, epics and ranks: by their names or types, which a search with
 * `expand=names,schema` returns, or else by the form of their values.
 */
export class CustomFields {
  private readonly names = new Map<string, string>();
  private readonly types = new Map<string, string>();
  /** The numbers and short strings of each custom field, by the numbers of the issues. */
  private readonly values = new Map<string, Map<number, string | number>>();

  constructor(private readonly mapping: Mapping) {}

  addNames(names: unknown): void {
    for (const [id, name] of Object.entries(fieldsOf(names))) {
      if (typeof name === 'string') this.names.set(id, name);
    }
    requireFewFields(this.names.size);
  }

  addSchema(schema: unknown): void {
    for (const [id, about] of Object.entries(fieldsOf(schema))) {
      const type = textOf(fieldsOf(about).custom)?.split(':').at(-1);
      if (type !== undefined) this.types.set(id, type);
    }
    requireFewFields(this.types.size);
  }

  add(line: number, fields: Record<string, unknown>): void {
    for (const [id, value] of Object.entries(fields)) {
      if (!id.startsWith('customfield_') && !this.isMapped(id)) continue;
      const isShort = typeof value === 'string' && value !== '' && value.length <= 255;
      if (typeof value !== 'number' && !isShort) continue;
      const values = this.values.get(id) ?? new Map<number, string | number>();
      this.values.set(id, values.set(line, value));
    }
  }

  /** Whether any field has this type. */
  has(type: string): boolean {
    return [...this.types.values()].includes(type);
  }

  /**
   * @param epics the keys of the epics of the file
   * @throws InvalidFile if the mapping names a field that no issue has
   */
  async decide(warnings: Warnings, epics: ReadonlySet<string | null>): Promise<DecidedFields> {
    const points = await this.points(warnings);
    const epicLinks = await this.withMeaning('epic', 'gh-epic-link', (id) =>
      this.every(id, KEY, (key) => epics.has(String(key))),
    );
    const epicNames = await this.withMeaning(
      'epic_name',
      'gh-epic-label',
      (id) => id === USUAL_EPIC_NAME,
    );
    const ranks = await this.withMeaning('rank', 'gh-lexo-rank', (id) => this.every(id, RANK));
    const first = (ids: readonly string[], line: number): string | number | null =>
      ids.map((id) => this.values.get(id)?.get(line)).find((value) => value !== undefined) ?? null;
    return {
      columns: Object.fromEntries(points.map((id) => [id, 'points'])),
      of: (line) => ({
        points: first(points, line),
        epicLink: first(epicLinks, line)?.toString() ?? null,
        epicName: first(epicNames, line)?.toString() ?? null,
        rank: first(ranks, line)?.toString() ?? null,
      }),
    };
  }

  private isMapped(id: string): boolean {
    return Object.values(this.mapping.columns ?? {}).includes(id);
  }

  private async withMeaning(
    field: JiraField,
    type: string,
    looksLike: Condition,
  ): Promise<string[]> {
    const known = await this.idsOf((id) => this.means(id, field, type));
    if (known.length > 0 || this.names.size > 0 || this.types.size > 0) return known;
    return this.idsOf(looksLike);
  }

  /** Whether a field has this meaning according to its type or its name. */
  private means(id: string, field: JiraField, type: string): boolean {
    return this.types.get(id) === type || jiraField(this.names.get(id) ?? '') === field;
  }

  private async points(warnings: Warnings): Promise<string[]> {
    requireFields(this.mapping, 'points');
    const { points: mapped } = this.mapping.columns ?? {};
    if (mapped !== undefined) {
      const isIt = (id: string): boolean =>
        id === mapped || comparable(this.names.get(id) ?? '') === comparable(mapped);
      const found = await this.idsOf(isIt);
      if (found.length === 0) throw new InvalidFile(`No issue has a value in the field ${mapped}.`);
      return found;
    }
    const known = await this.idsOf((id) => this.means(id, 'points', 'jsw-story-points'));
    if (known.length > 0 || this.names.size > 0) return known;
    const numeric = await this.idsOf((id) => this.looksLikePoints(id));
    const [only, ...more] = numeric;
    if (only === undefined || more.length === 0) return numeric;
    const best = numeric.includes(USUAL_POINTS) ? USUAL_POINTS : this.mostUsed(numeric);
    warnings.add(
      'points_field_assumed',
      `${best}, but they may be in ${numeric.filter((id) => id !== best).join(', ')}`,
    );
    return [best];
  }

  /** Whether a field has numbers only, and one of them may be a number of points. */
  private looksLikePoints(id: string): Promise<boolean> {
    return this.every(
      id,
      /^-?\d+(\.\d+)?$/,
      (value) => typeof value === 'number' && value >= 0 && value <= 1000,
    );
  }

  /** The fields that meet a condition. */
  private async idsOf(condition: Condition): Promise<string[]> {
    const found: string[] = [];
    for await (const id of withPauses(this.values.keys())) {
      if (await condition(id)) found.push(id);
    }
    return found;
  }

  /** Whether all values of a field have a form, and one of them meets a condition. */
  private async every(
    id: string,
    form: RegExp,
    condition: (value: string | number) => boolean = () => true,
  ): Promise<boolean> {
    let isMet = false;
    for await (const value of withPauses(this.values.get(id)?.values() ?? [])) {
      if (!form.test(String(value))) return false;
      isMet ||= condition(value);
    }
    return isMet;
  }

  private mostUsed(ids: readonly string[]): string {
    const count = (id: string): number => this.values.get(id)?.size ?? 0;
    return ids.reduce((best, id) => (count(id) > count(best) ? id : best));
  }
}
