import type { Readable } from 'node:stream';
import type { Status } from '../../stories/story.entity';
import type { ImportWarning, Mapping, SkippedRow } from '../import/import.dto';
import type { Unit } from './invalid-file';

/**
 * The content of a file in the terms of the tool that wrote it. `mapSource` converts it to a plan; readers do
 * not interpret statuses or dates, and do not apply limits.
 */
export interface SourceFile {
  sprints: SourceSprint[];
  /** In the order of the tool's board; the import numbers them in this order. */
  stories: SourceStory[];
  /** Rows that are not stories, such as pull requests. */
  skipped: SkippedRow[];
  warnings: Warnings;
  /** The field that each column of a table was read as; null for unknown columns. */
  columns?: Record<string, string | null>;
  /** Dates that are not imported. They help to detect the order of day and month when the imported dates are ambiguous. */
  otherDates?: ReadonlySet<DateText>;
  /** Fields that the file has for no story; the import leaves them as they are. */
  lacks?: Partial<
    Record<
      'description' | 'priority' | 'points' | 'assignee' | 'labels' | 'sprints' | 'tasks',
      boolean
    >
  >;
}

/** A date or an instant, as the file has it: `2026-11-23`, `10/Feb/26 2:51 PM`, RFC 3339, … */
export type DateText = string;

export interface SourceStatus {
  name: string;
  /** The meaning of the status, if the tool itself states it. */
  category?: Status;
}

export interface SourceSprint {
  /** The key by which the stories of the file refer to it. */
  key: string;
  /** `jira:sprint:7`; null if the tool has only a name, by which a later import finds the sprint then. */
  external_id: string | null;
  name: string | null;
  goal: string | null;
  start: DateText | null;
  /** Its last day. */
  end: DateText | null;
  /** Whether `end` is the day after its last day. */
  endsBefore?: boolean;
  /** Whether the tool has completed it. */
  closed: boolean;
  /** Whether the tool completes it at its end and leaves no open story in it; `closed` is false then. */
  closesItself?: boolean;
  completed: DateText | null;
}

/** The most labels that are read of a story, which can have 20: others would take time, and be dropped. */
export const MAX_LABELS_READ = 1000;

export interface SourceTask {
  /** The line or, in JSON, the number of the entry. */
  line: number;
  /** `jira:ABC-1`; null if the tool has none. */
  external_id: string | null;
  title: string;
  /** Null if the file has none. */
  status: SourceStatus | null;
  assignee: string | null;
  done: DateText | null;
}

export interface SourceStory extends SourceTask {
  description: string | null;
  priority: string | null;
  points: string | number | null;
  /** Without the label of the epic. */
  labels: string[];
  /** The title of its epic, which becomes a label. */
  epic: string | null;
  /** Keys of the sprints that it was in, oldest first; it is in the last one. */
  sprints: string[];
  archived: boolean;
  /** Of a sub-task, the `external_id` of its story. */
  parent: string | null;
  /** Items of its checklists. */
  tasks: SourceTask[];
}

/** Collects what an import changed or ignored: how often, with some examples. */
export class Warnings {
  private readonly byCode = new Map<string, { count: number; examples: string[] }>();

  constructor(readonly unit: Unit = 'line') {}

  /** @param place a number or, for another place than a line or an entry, its name */
  at(code: string, place: number | string, detail: string): void {
    const where = typeof place === 'number' ? `${this.unit} ${place}` : place;
    this.add(code, `${where}: ${detail}`);
  }

  /** @param count how often it happened */
  add(code: string, example: string, count = 1): void {
    const warning = this.byCode.get(code) ?? { count: 0, examples: [] };
    warning.count += count;
    if (warning.examples.length < 5) warning.examples.push(example.slice(0, 200).toWellFormed());
    this.byCode.set(code, warning);
  }

  list(): ImportWarning[] {
    return [...this.byCode].map(([code, warning]) => ({ code, ...warning }));
  }
}

/** Reads a file of one tool as it arrives. @throws InvalidFile */
export type SourceReader = (file: Readable, mapping: Mapping) => Promise<SourceFile>;
