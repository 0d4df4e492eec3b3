import type { Row } from './engine';

export type Key = string | number;

/** How rows are found by a unique key. */
export interface Lookup {
  /** All of the statement but the keys: `SELECT … WHERE … AND id IN`. */
  sql: string;
  /** The member of a row that is its key. */
  key: string;
}

/** Keys of one statement. */
const MOST_KEYS = 32;

interface Asker {
  resolve: (row: Row | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Answers those who look for rows in the same turn of the event loop with one statement, for a
 * statement costs us and the server several times what a row does. It is sent after all of them have
 * asked, so it sees what was committed before, like a statement of their own.
 */
export class Lookups {
  private readonly asked = new Map<Lookup, Map<Key, Asker[]>>();

  constructor(private readonly read: (sql: string, keys: Key[]) => Promise<Row[]>) {}

  find(lookup: Lookup, key: Key): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      if (this.asked.size === 0) setImmediate(this.send);
      let keys = this.asked.get(lookup);
      if (!keys) this.asked.set(lookup, (keys = new Map<Key, Asker[]>()));
      const askers = keys.get(key);
      if (askers) askers.push({ resolve, reject });
      else keys.set(key, [{ resolve, reject }]);
    });
  }

  private readonly send = (): void => {
    const asked = [...this.asked];
    this.asked.clear();
    for (const [lookup, askers] of asked) {
      const keys = [...askers.keys()];
      for (let i = 0; i < keys.length; i += MOST_KEYS) {
        void this.answer(lookup, keys.slice(i, i + MOST_KEYS), askers);
      }
    }
  };

  private async answer(
    { sql, key }: Lookup,
    keys: Key[],
    askers: ReadonlyMap<Key, Asker[]>,
  ): Promise<void> {
    try {
      // The last is asked for several times over, so that there are few different statements.
      const places = 2 ** Math.ceil(Math.log2(keys.length));
      const all = [...keys, ...Array<Key>(places - keys.length).fill(keys[keys.length - 1] as Key)];
      const rows = await this.read(`${sql} (${all.map(() => '?').join(', ')})`, all);
      const byKey = new Map(rows.map((row) => [row[key] as Key, row]));
      for (const one of keys) {
        const row = byKey.get(one);
        // Each has a row of its own, for a row is made into a representation in place.
        askers.get(one)?.forEach(({ resolve }, i) => resolve(row && i > 0 ? { ...row } : row));
      }
    } catch (error) {
      for (const one of keys) askers.get(one)?.forEach(({ reject }) => reject(error));
    }
  }
}
