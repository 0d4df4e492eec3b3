import type { BoardLoad } from '../../boards/board-loader.service';
import { placeholders } from '../../database/reader';
import type { Transaction } from '../../database/transaction';
import type { TaskView } from '../../tasks/task.dto';
import { linesOf } from '../export/export-lines';
import { parseRow } from '../export/export-validation';
import type { Survey } from './restore-survey';
import type { Replacements } from './restored-event';
import { restoredEvent } from './restored-event';
import type { RestoredRows, RowKind } from './restored-rows';
import { TABLES } from './restored-rows';

/** The most rows of a transaction, and the characters after which it ends: other changes wait for it. */
const MAX_ROWS = 1000;
const MAX_LENGTH = 500_000;

/** A row to insert or, without `row`, a placeholder that uses up the id of a deleted row. */
interface Slot<K extends RowKind> {
  /** Its id in the file. */
  id: number;
  row?: RestoredRows[K];
}

/** Writes an export with its log to a board that is being loaded, while it reads the file for the second time. */
export class Restore {
  private readonly to: Replacements;
  private readonly slots: { [K in RowKind]: Slot<K>[] } = { sprint: [], story: [], task: [] };
  private readonly events: Record<string, unknown>[] = [];
  /** How many ids have a slot, in ascending order. */
  private readonly reached = { sprint: 0, story: 0 };
  /** The number of rows that are yet to be written, and of their characters. */
  private count = 0;
  private length = 0;
  private hasEvents = false;

  constructor(
    private readonly load: BoardLoad,
    private readonly found: Survey,
    newName: string,
  ) {
    const { id, name } = found.header.board;
    const board = { id, newId: load.boardId, name, newName };
    this.to = { ids: found.ids, createdSprints: new Set(), board };
  }

  /** @throws InvalidFile */
  async run(file: AsyncIterable<Buffer>, progress: (lines: number) => void): Promise<void> {
    for await (const { first, texts } of linesOf(file)) {
      for (const [i, text] of texts.entries()) {
        if (first + i === 1) continue;
        if (!text.startsWith('{"event"')) this.addRow(first + i, text);
        else {
          if (!this.hasEvents) await this.endRows();
          this.hasEvents = true;
          this.events.push(restoredEvent(first + i, text, this.to));
        }
        this.count += 1;
        this.length += text.length;
        if (this.count >= MAX_ROWS || this.length >= MAX_LENGTH) await this.write();
      }
      progress(first + texts.length - 1);
    }
    if (this.hasEvents) await this.writeEvents();
    else await this.endRows();
  }

  private addRow(line: number, text: string): void {
    const { sprint, story, task } = parseRow(line, text);
    if (sprint) this.addInOrder('sprint', sprint);
    else if (story) this.addInOrder('story', story);
    else if (task) this.slots.task.push({ id: task.id, row: task });
  }

  private addInOrder<K extends 'sprint' | 'story'>(kind: K, row: RestoredRows[K]): void {
    this.addPlaceholders(kind, row.id);
    this.slots[kind].push({ id: row.id, row });
    this.reached[kind] += 1;
  }

  /**
   * Adds placeholders for the deleted rows with smaller ids, so that the new ids are in the order of the old ones:
   * reports are sorted by id.
   */
  private addPlaceholders(kind: 'sprint' | 'story', before: number): void {
    const { ascending } = this.to.ids[kind];
    for (; this.reached[kind] < ascending.length; this.reached[kind] += 1) {
      const id = ascending[this.reached[kind]] as number;
      if (id >= before) return;
      this.slots[kind].push({ id });
    }
  }

  private async write(): Promise<void> {
    [this.count, this.length] = [0, 0];
    if (this.hasEvents) await this.writeEvents();
    else await this.writeRows();
  }

  /** Writes the rows that were read, each kind after the one that it refers to. */
  private async writeRows(): Promise<void> {
    const { sprint: sprints } = this.to.ids;
    await this.insert('sprint');
    for (const { row: story } of this.slots.story) {
      if (story) story.sprint_id &&= sprints.get(story.sprint_id) ?? null;
    }
    await this.insert('story');
    await this.insert('task');
  }

  /** Writes the rest of the rows; from then on every id of the file has its replacement. */
  private async endRows(): Promise<void> {
    this.addPlaceholders('sprint', Infinity);
    this.addPlaceholders('story', Infinity);
    await this.writeRows();
    const { task: ids } = this.to.ids;
    for (const id of ids.ascending) {
      if (ids.get(id) === 0) this.slots.task.push({ id });
    }
    await this.insert('task');
  }

  /** Inserts the rows of a kind in order, and deletes the placeholders at once: their ids are never used again. */
  private async insert<K extends RowKind>(kind: K): Promise<void> {
    const slots: Slot<K>[] = this.slots[kind].splice(0);
    for (let start = 0; start < slots.length; start += MAX_ROWS) {
      const chunk = slots.slice(start, start + MAX_ROWS);
      await this.load.part((transaction) => this.insertChunk(transaction, kind, chunk));
    }
  }

  private async insertChunk<K extends RowKind>(
    transaction: Transaction,
    kind: K,
    slots: readonly Slot<K>[],
  ): Promise<void> {
    const { boardId } = this.load;
    // The placeholder of a task needs a story.
    const needsStory = kind === 'task' && slots.some(({ row }) => !row);
    const [placeholderStory = 0] = needsStory
      ? await insertRows(transaction, 'story', [boardId], [undefined])
      : [];
    const parentOf = (row?: RestoredRows[K]): number => {
      if (kind !== 'task') return boardId;
      return row ? (this.to.ids.story.get((row as TaskView).story_id) as number) : placeholderStory;
    };
    const rows = slots.map(({ row }) => row);
    const created = await insertRows(transaction, kind, rows.map(parentOf), rows);
    const { [kind]: ids } = this.to.ids;
    slots.forEach(({ id }, i) => ids.replace(id, created[i] as number));
    const unused = created.filter((_, i) => !rows[i]);
    await deleteRows(transaction, TABLES[kind].name, unused);
    if (needsStory) await deleteRows(transaction, 'stories', [placeholderStory]);
  }

  private async writeEvents(): Promise<void> {
    const rows = this.events.splice(0);
    await this.load.part((transaction) => transaction.insertMany('events', rows));
  }
}

/**
 * Inserts rows, each below the parent at the same index. An undefined row becomes a placeholder.
 * @returns the ids of the inserted rows, in the order of `rows`
 */
async function insertRows<K extends RowKind>(
  transaction: Transaction,
  kind: K,
  parentIds: readonly number[],
  rows: readonly (RestoredRows[K] | undefined)[],
): Promise<number[]> {
  const { name, parent, columns, placeholder } = TABLES[kind];
  const select = `SELECT MAX(id) AS last FROM ${name}`;
  const [greatest] = await transaction.query<{ last: number | null }>(select);
  const last = greatest?.last ?? 0;
  const inserted = rows.map((row, i) => {
    // The database generates the id.
    const { id: _, ...others } = columns(parentIds[i] as number, row ?? placeholder);
    return others;
  });
  await transaction.insertMany(name, inserted);
  const parents = [...new Set(parentIds)];
  // Without the hint and the `+`, the databases use other indexes, and sort the ids of the whole board.
  const created = await transaction.query<{ id: number }>(
    `SELECT r.id FROM ${name} r /*! FORCE INDEX (PRIMARY) */
      WHERE r.id > ? AND +r.${parent} IN (${placeholders(parents)}) ORDER BY r.id`,
    [last, ...parents],
  );
  if (created.length !== rows.length) throw new Error(`${name}: not all rows were inserted`);
  return created.map(({ id }) => id);
}

async function deleteRows(
  transaction: Transaction,
  table: string,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const places = placeholders(ids);
  await transaction.query(`DELETE FROM ${table} WHERE id IN (${places})`, ids);
}
