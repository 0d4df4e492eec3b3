import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../http/caller';
import { Clock } from '../time/clock';
import { Config } from '../config/config';
import type { Tries } from './change';
import { Change, Restart } from './change';
import { Database, unavailable } from './database';
import type { Writer } from './engine';
import { claim, keep } from './idempotency';
import { Turns } from './turns';

/** Milliseconds in which a change is run again and again. */
const RETRY_MS = 2000;
/** Milliseconds between two tries, at most. */
const LONGEST_PAUSE = 64;

/** Others wait for their turn at the board. */
class Contended extends Error {}

/**
 * The one way to change anything. Each change is one transaction that takes the rows of its boards
 * first, does its work and appends its events; where the database rolls it back through no fault of
 * its own, it is run again, commit and all, so the work must have no effect outside the transaction.
 */
@Injectable()
export class UnitOfWork {
  private readonly turns = new Turns();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Runs a change of one or two boards and returns what `work` returns, once it is durable.
   * @param deadlineMs for work that no request waits for, such as an import; its retries may take
   *   as long
   * @throws Problem what `work` refuses, or `database_unavailable`; then nothing has changed, but
   *   where the connection was lost in the commit nobody can know. A request with a key that was
   *   answered before is not worked on again: its first answer is returned, and the caller marked.
   */
  run<T>(caller: Caller, work: (change: Change) => Promise<T>, deadlineMs?: number): Promise<T> {
    const { repeatable } = caller;
    if (repeatable?.used) throw new Error('a request with a key is one change, not several');
    if (repeatable) repeatable.used = true;
    return this.attempt(
      async (writer, tries) => {
        const change = this.change(writer, caller, tries);
        if (repeatable) {
          const before = await claim(change, repeatable, (e) => this.database.isDuplicate(e));
          repeatable.replayed = before !== undefined;
          if (before !== undefined) return JSON.parse(before) as T;
        }
        const result = await work(change);
        await change.flush();
        if (repeatable) await keep(change, repeatable, JSON.stringify(result));
        return result;
      },
      caller.since,
      deadlineMs,
    );
  }

  /** Runs a change as `run` does, but for the commit: what `work` returns is all that is left of it. */
  async rehearse<T>(caller: Caller, work: (change: Change) => Promise<T>): Promise<T> {
    const undone: { result?: T } & Error = new Error('the rehearsal is over');
    try {
      return await this.attempt(async (writer, tries) => {
        undone.result = await work(this.change(writer, caller, tries));
        throw undone;
      }, caller.since);
    } catch (error) {
      if (error !== undone) throw error;
      return undone.result as T;
    }
  }

  /** Runs a transaction that belongs to no board, such as the removal of what nobody can see. */
  maintain<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.attempt(work);
  }

  private change(writer: Writer, caller: Caller, tries: Tries): Change {
    return new Change(writer, this.database.engine.dialect, caller, this.clock, tries);
  }

  private async attempt<T>(
    work: (writer: Writer, tries: Tries) => Promise<T>,
    start = Date.now(),
    deadlineMs?: number,
  ): Promise<T> {
    const { engine } = this.database;
    const deadline = start + (deadlineMs ?? this.config.databaseDeadlineMs);
    // Retries have a time of their own: what was spent in line is no reason to give up.
    let lastRetry: number | undefined;
    let endTurn: (() => void) | undefined;
    const met = new Set<number>();
    const held = new Set<number>();
    const holds = (board: number): void => {
      held.add(board);
      if (!endTurn && this.turns.taken(board)) throw new Contended('others wait for this board');
    };
    try {
      for (let tries = 1; ; tries += 1) {
        try {
          return await engine.transaction((writer) => work(writer, { met, holds }), deadline);
        } catch (error) {
          if (error instanceof Restart) for (const board of error.boards) met.add(board);
          else if (!(error instanceof Contended) && engine.failure(error) !== 'retry') {
            throw this.database.translated(error);
          } else if (!endTurn && held.size > 0) {
            endTurn = await this.turns.take(held, deadline);
            if (!endTurn) throw unavailable(error);
          }
          lastRetry ??= Date.now() + (deadlineMs ?? RETRY_MS);
          if (Date.now() >= Math.min(lastRetry, deadline)) throw unavailable(error);
          // Jitter, so that those who met once do not meet again.
          await sleep(Math.random() * Math.min(LONGEST_PAUSE, 2 ** tries));
        }
      }
    } finally {
      endTurn?.();
    }
  }
}
