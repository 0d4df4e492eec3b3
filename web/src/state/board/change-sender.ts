import { api, headersOf } from '../../api/client';
import { ApiError, ignoreMissing, isMissing, isStale } from '../../api/problem';
import type { Event } from '../../api/types';
import type { Confirmation, Move, Outcome } from '../changes/change';
import { StoryChanged } from '../changes/conflict';
import { kindOf } from '../changes/kinds';
import type { Pending } from '../changes/pending';
import type { Target } from '../changes/rows';
import { createdBy, entityOf, hasFields, targetOf } from '../changes/rows';
import type { BoardState, ListId } from '../model';
import type { BoardReader } from './board-reader';
import type { ConfirmedBoard } from './confirmed-board';
import { withoutMoved } from './confirmed-board';
import type { Connection } from './connection';
import type { LiveEvents } from './live-events';
import type { RowReader } from './row-reader';

const MAX_ATTEMPTS = 5;

/** An entity tag that no row has, so that only a response stored under the idempotency key is returned. */
const NO_ROW = '"already-sent"';

/** Sends the changes of the user on the condition that the rows are as the user saw them. */
export class ChangeSender {
  /** The ids of the stories that this page has created, by the negative ones that they had before. */
  readonly created = new Map<number, number>();
  private attempt?: { key: string; before: BoardState };

  constructor(
    private readonly confirmed: ConfirmedBoard,
    private readonly connection: Connection,
    private readonly rows: RowReader,
    private readonly reader: BoardReader,
    private readonly events: LiveEvents,
  ) {}

  /** The id that the service has assigned to a story of this page; before that, and for other stories, the same id. */
  idOf(id: number): number {
    return this.created.get(id) ?? id;
  }

  /** The id that a story had first: on the page that has created it, a negative one. */
  firstIdOf(id: number): number {
    return [...this.created].find(([, real]) => real === id)?.[0] ?? id;
  }

  /** @param isRepeated whether an earlier attempt may have reached the service */
  async send(pending: Pending, isRepeated: boolean): Promise<Confirmation> {
    const { change, key } = pending;
    if (this.attempt?.key !== key) {
      // Undo needs the description and the tasks.
      if (change.kind === 'story.delete') {
        await this.rows.readStoryInFull(change.id).catch(ignoreMissing);
        const hasTasks = Boolean(this.confirmed.require().tasks.get(change.id)?.length);
        // Undoing the creation must not delete the tasks that others have added.
        if (pending.isUndo && hasTasks) {
          throw new ApiError(409, 'story_has_tasks', 'It has tasks now.');
        }
      }
      // Before the request, because the stream may deliver the event before the response arrives.
      this.attempt = { key, before: this.confirmed.require() };
    }
    const { before } = this.attempt;
    const { name } = this.connection;
    if (createdBy(change)) this.events.hold('creation');
    try {
      const outcome = await this.sendAsSeen(pending, isRepeated);
      const changed =
        entityOf(change) === 'story'
          ? outcome.commit(before).stories.get(outcome.id ?? 0)
          : undefined;
      if (changed && (await this.connection.isElsewhere(changed, name))) {
        const commit = (state: BoardState): BoardState => withoutMoved(state, changed);
        return { outcome: { commit, id: changed.id, revision: 0 }, before };
      }
      if (createdBy(change) && outcome.id && outcome.revision < this.confirmed.revision.value) {
        // It was created before the board was read, so others may have changed or deleted it since.
        const row = { entity: entityOf(change), id: outcome.id };
        await this.rows.readRow(row).catch(ignoreMissing);
      }
      if (change.kind === 'story.create' && outcome.id) this.created.set(change.id, outcome.id);
      // The response has only the moved story; the stream also delivers the shift of other stories.
      if (change.kind === 'story.move') await this.events.reached(outcome.revision);
      return { outcome, before };
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (error.code === 'board_not_found' && (await this.connection.findRenamed(name)))
        return this.send(pending, isRepeated);
      if (change.kind !== 'story.delete' && change.kind !== 'task.delete') {
        if (!(await this.isDeleted(pending))) throw error;
        // A conflict, in which the user can create the story again.
        throw new ApiError(412, 'precondition_failed', 'Someone else has deleted it.');
      }
      // An earlier attempt or someone else has deleted it.
      const commit = (state: BoardState): BoardState => kindOf(change).apply(state, change);
      return { outcome: { commit, revision: 0 }, before };
    }
  }

  /** Whether a missing row is a deleted story; otherwise its board was deleted, or the user may no longer see it. */
  private async isDeleted({ change, seen = 0, revision }: Pending): Promise<boolean> {
    const target = targetOf(change);
    if (target?.entity !== 'story') return false;
    const events = await this.rows.changesSince(target, seen, revision);
    return events.some(({ type }) => type === 'story.deleted');
  }

  private async sendAsSeen(pending: Pending, isRepeated: boolean): Promise<Outcome> {
    const { change, key } = pending;
    const target = targetOf(change);
    if (!target) {
      // The stream follows the board. Without it, another board may have got the name.
      if (!this.events.isLive.value) await this.connection.requireOwnName();
      return change.kind === 'story.move'
        ? this.sendSeveral(change, key)
        : kindOf(change).send(change, this.connection.name, { key });
    }
    const row = `${target.entity}/${target.id}`;
    const known = this.rows.etags.get(row);
    let ifMatch = known?.version === pending.seen ? known?.etag : undefined;
    // If the service has already made the move, it returns the stored response before it compares the tag.
    if (!ifMatch && isRepeated && change.kind === 'story.move') ifMatch = NO_ROW;
    const send = async (tag: string): Promise<Outcome> => {
      const outcome = await kindOf(change).send(change, this.connection.name, {
        ifMatch: tag,
        key,
      });
      const { version, etag } = outcome;
      if (version !== undefined && etag) this.rows.etags.set(row, { version, etag });
      else this.rows.etags.delete(row);
      return outcome;
    };
    for (let attempt = 1; ; attempt++) {
      const tag = ifMatch ?? (await this.tagIfAsSeen(pending, target));
      ifMatch = undefined;
      try {
        return await send(tag);
      } catch (error) {
        // Moving other stories may have changed the tag since it was read.
        if (!isStale(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Reads the entity tag of a row. @throws ApiError 412 if the row was changed since the user saw it */
  private async tagIfAsSeen(pending: Pending, target: Target): Promise<string> {
    const { change, seen, revision } = pending;
    const [row, tag] = await this.rows.readRow(target);
    if (seen === undefined || row.version === seen) return tag;
    // An earlier attempt has made the change, or someone else has made the same one.
    const isUpdate = change.kind === 'story.update' || change.kind === 'task.update';
    if (isUpdate && hasFields(row, change.set)) return tag;
    // Moving other stories can change `seq` and `version` of a story, which is not a conflict.
    const theirs = await this.rows.changesSince(target, seen, revision);
    if (theirs.length > 0)
      throw new ApiError(412, 'precondition_failed', 'It was changed meanwhile.');
    return tag;
  }

  /**
   * Moves several stories with the tag of the board's lists in `If-Match`. Every change of the board changes
   * that tag, so 412 alone is not a conflict: only a story that has left the list in which the user saw it is one.
   */
  private async sendSeveral(change: Move, key: string): Promise<Outcome> {
    await this.reader.whenCurrent();
    // After a reload, the view may show other lists.
    for (const id of change.ids) {
      if (!this.confirmed.require().stories.has(id))
        await this.rows.readStory(id).catch(ignoreMissing);
    }
    for (let attempt = 1; ; attempt++) {
      const ifMatch = await this.tagOfLists(change);
      try {
        return await kindOf(change).send(change, this.connection.name, { ifMatch, key });
      } catch (error) {
        if (!isStale(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Reads the tag of the board's lists.
   * @throws StoryChanged if a story of the change has left the list in which the user saw it
   */
  private async tagOfLists(change: Move): Promise<string> {
    const path = { board_name: this.connection.name };
    const { response } = await api.GET('/api/boards/{board_name}/stories', {
      params: { path, query: { limit: 1, fields: 'id' } },
    });
    const { etag, revision } = headersOf(response);
    const { stories } = this.confirmed.require();
    const lists = new Map(change.ids.map((id) => [id, stories.get(id)?.sprint_id]));
    for (let after = this.confirmed.revision.value; after < revision;) {
      const { data } = await api.GET('/api/boards/{board_name}/events', {
        params: { path, query: { after, limit: 1000 } },
      });
      const events = data as Event[];
      if (events.length === 0) break;
      for (const { entity, id, after: fields } of events) {
        if (entity !== 'story' || !lists.has(id)) continue;
        if (fields === null) lists.delete(id);
        else if ('sprint_id' in fields) lists.set(id, fields.sprint_id as ListId);
      }
      after = events.at(-1)?.revision ?? revision;
    }
    change.ids.forEach((id, i) => {
      const list = lists.get(id);
      const seen = change.seen?.[i];
      // An earlier attempt may have moved it already.
      const isAsSeen = !seen || list === change.list || list === seen.list;
      if (list !== undefined && isAsSeen) return;
      throw new StoryChanged(id, seen?.version ?? 0);
    });
    return etag;
  }
}
