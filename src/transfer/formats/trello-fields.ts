import { withPauses } from '../../time/time-slice';
import { listed } from '../files/columns';
import { InvalidFile } from '../files/invalid-file';
import { fieldsOf, listOf, textOf } from '../files/json';
import { comparable } from '../import/known-names';

/** The data of a card that its points and its priority are read from. */
export interface TrelloCard {
  title: string;
  /** Its `customFieldItems`, by the ids of the fields. */
  values: Map<string, Record<string, unknown>>;
}

/** A value of each card, such as its points. */
export interface CardValues {
  /** The id of the custom field that has the values, if one has. */
  field?: string;
  of: (card: TrelloCard) => string | null;
  /** The titles without the value, of the cards that have the value in their titles. */
  titles?: Map<TrelloCard, string>;
}

interface CustomField {
  name: string;
  /** Names of the options of a drop-down list, by their ids. */
  options: Map<string, string>;
}

/** The likeliest first; the names are compared without accents. */
const POINTS_FIELDS = [
  /^(user )?story ?points?( estimate)?$/,
  /^(points?|pts|sp|punkte|story ?punkte|puntos( de historia)?|pontos( de historia)?|points d.effort)$/,
  /^(estimate|estimation|estimated points|schatzung|estimacion|estimativa|size|große|tamano|taille|tamanho)$/,
];
const PRIORITY_FIELD = /^(priority|prioritat|prioridad|priorite|prioridade)$/;

/** The custom fields of a board. */
export class TrelloFields {
  private readonly fields = new Map<string, CustomField>();

  add({ id, name, options }: Record<string, unknown>): void {
    const names = listOf(options).map((option) => {
      const { id, value } = fieldsOf(option);
      return [textOf(id) ?? '', textOf(fieldsOf(value).text) ?? ''] as const;
    });
    this.fields.set(textOf(id) ?? '', { name: textOf(name) ?? '', options: new Map(names) });
  }

  /** The points of the cards: from a custom field, else from their titles. */
  async points(cards: readonly TrelloCard[], name: string | undefined): Promise<CardValues | null> {
    if (name !== undefined) return this.named(name);
    for (const pattern of POINTS_FIELDS) {
      const values = this.like((field) => pattern.test(field));
      if (values && (await hasNumbers(cards, values))) return values;
    }
    return pointsInTitles(cards);
  }

  priorities(name: string | undefined): CardValues | null {
    if (name !== undefined) return this.named(name);
    return this.like((field) => PRIORITY_FIELD.test(field));
  }

  /** The names of the custom fields of a card that are not read. */
  unread({ values }: TrelloCard, read: readonly (CardValues | null)[]): string[] {
    const ids = [...values.keys()].filter((id) => read.every((each) => each?.field !== id));
    return ids.map((id) => `custom field "${this.fields.get(id)?.name ?? id}"`);
  }

  private named(name: string): CardValues {
    const found = this.like((field) => field === comparable(name));
    if (found) return found;
    const names = listed([...this.fields.values()].map((field) => field.name));
    throw new InvalidFile(
      `The board has no custom field "${name}"; ${names ? `it has ${names}` : 'it has none'}.`,
    );
  }

  /** Returns the values of the first field whose comparable name matches. */
  private like(isWanted: (name: string) => boolean): CardValues | null {
    for (const [id, { name, options }] of this.fields) {
      if (!isWanted(comparable(name))) continue;
      return {
        field: id,
        of: ({ values }) => {
          const { value, idValue } = values.get(id) ?? {};
          const { number, text } = fieldsOf(value);
          if (typeof number === 'number') return String(number);
          return textOf(number) ?? textOf(text) ?? options.get(textOf(idValue) ?? '') ?? null;
        },
      };
    }
    return null;
  }
}

/** Whether a field has values, and only numbers. A field such as "Size" may have S, M and L. */
async function hasNumbers(cards: readonly TrelloCard[], values: CardValues): Promise<boolean> {
  let isFound = false;
  for await (const card of withPauses(cards)) {
    const text = values.of(card);
    if (text === null) continue;
    if (!/^\d+([.,]\d+)?$/.test(text.trim())) return false;
    isFound = true;
  }
  return isFound;
}

const SCALE = new Set('0 0.5 1 2 3 5 8 13 20 21 34 40 55 89 100'.split(' '));

/**
 * Points as the browser extension "Scrum for Trello" writes them, `(3) Title`. A number in brackets may be
 * something else, such as the number of a part. So they are points only if at least three cards, and a third
 * of all cards, begin with one, all numbers are of the usual scale, and one number occurs twice.
 */
async function pointsInTitles(cards: readonly TrelloCard[]): Promise<CardValues | null> {
  const points = new Map<TrelloCard, string>();
  const titles = new Map<TrelloCard, string>();
  for await (const card of withPauses(cards)) {
    const [, number, title] = /^\((\d{1,3}(?:\.\d)?)\)\s+(\S.*)$/s.exec(card.title) ?? [];
    if (number === undefined || title === undefined) continue;
    points.set(card, number);
    titles.set(card, title);
  }
  const different = new Set(points.values());
  const isHabit = points.size >= 3 && points.size * 3 >= cards.length;
  const isScale = different.size < points.size && [...different].every((text) => SCALE.has(text));
  return isHabit && isScale ? { of: (card) => points.get(card) ?? null, titles } : null;
}
