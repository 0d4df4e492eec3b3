import type { BoardReader } from '../../../web/src/state/board/board-reader';
import { ChangeSender } from '../../../web/src/state/board/change-sender';
import { ConfirmedBoard } from '../../../web/src/state/board/confirmed-board';
import type { Connection } from '../../../web/src/state/board/connection';
import { LiveEvents } from '../../../web/src/state/board/live-events';
import { RowReader } from '../../../web/src/state/board/row-reader';
import type { Change } from '../../../web/src/state/changes/change';
import type { Pending } from '../../../web/src/state/changes/pending';
import type { Card } from '../../../web/src/state/model';
import { afterwards } from '../../support/faults';
import { boardWith, story } from './state';

jest.mock('openapi-fetch', () => jest.requireActual('./hosted-client'));

/** A service with story 1, and a page that has read it at version 1. */
class Service {
  story: Card = story(1);
  /** The requests, and the entity tags that were sent as their conditions. */
  readonly requests: string[] = [];
  /** Whether the next response to a change is lost. */
  loses = false;
  private readonly history: object[] = [];
  private readonly confirmed = new ConfirmedBoard();
  readonly rows: RowReader;
  private readonly sender: ChangeSender;

  constructor() {
    const { board } = boardWith([]);
    this.confirmed.restart(board, [], 1);
    this.confirmed.putStory(this.story, 1);
    const isElsewhere = (): Promise<boolean> => Promise.resolve(false);
    const connection = { name: 'rocket', isElsewhere } as unknown as Connection;
    const events = new LiveEvents(this.confirmed, {
      apply: (event) => this.confirmed.apply(event),
      read: () => Promise.resolve(),
      fail: () => undefined,
    });
    this.rows = new RowReader(this.confirmed, connection, events);
    const reader = {} as BoardReader;
    this.sender = new ChangeSender(this.confirmed, connection, this.rows, reader, events);
    const fetched = jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation((request) => this.answer(request as Request));
    afterwards(() => fetched.mockRestore());
  }

  /** Changes the story as another user does. */
  change(set: Partial<Card>): void {
    this.shift(set);
    this.history.push({
      type: 'story.updated',
      id: 1,
      after: { ...set, version: this.story.version },
    });
  }

  /** Changes the story as a move of another one does, without an event of this story. */
  shift(set: Partial<Card>): void {
    this.story = { ...this.story, ...set, version: this.story.version + 1 };
  }

  /** Sends a change of the user, who has seen a version of the story. */
  async send(change: Change, seen: number, isRepeated = false): Promise<void> {
    const pending: Pending = {
      ...{ change, seen, key: JSON.stringify(change), order: 1, group: 'group', label: '' },
      ...{ revision: 1, isUndo: false },
    };
    await this.sender.send(pending, isRepeated);
  }

  private get etag(): string {
    return `"${this.story.version}"`;
  }

  private async answer(request: Request): Promise<Response> {
    const ifMatch = request.headers.get('If-Match');
    this.requests.push([request.method, ifMatch].filter((each) => each !== null).join(' '));
    const answer = (body: unknown, status = 200): Response => {
      const headers = { 'X-Board-Revision': `${this.story.version}`, ETag: this.etag };
      return new Response(JSON.stringify(body), { status, headers });
    };
    if (request.url.endsWith('/history')) return answer(this.history);
    if (request.method === 'GET') return answer(this.story);
    if (ifMatch !== this.etag) return answer({ code: 'precondition_failed' }, 412);
    this.change((await request.json()) as Partial<Card>);
    if (this.loses) throw new TypeError('Failed to fetch');
    return answer(this.story);
  }
}

const update = (set: object): Change => ({ kind: 'story.update', id: 1, set });

const STALE = { status: 412, code: 'precondition_failed' };

test('a change under the version that the user saw needs one request', async () => {
  const service = new Service();
  service.change({ title: 'Theirs' });
  await service.rows.readStory(1);
  service.requests.length = 0;
  await service.send(update({ points: 3 }), 2);
  await service.send(update({ points: 5 }), 3);
  expect(service.requests).toEqual(['PUT "2"', 'PUT "3"']);
});

test('a form does not overwrite a change that the page has read since the form was opened', async () => {
  const service = new Service();
  service.change({ title: 'Theirs' });
  await service.rows.readStory(1);
  await expect(service.send(update({ title: 'Mine' }), 1)).rejects.toMatchObject(STALE);
  expect(service.story.title).toBe('Theirs');
});

test('neither a move of other stories nor the same change of someone else is a conflict', async () => {
  const service = new Service();
  service.shift({ seq: 2 });
  await service.send(update({ title: 'Mine' }), 1);
  expect(service.story).toMatchObject({ seq: 2, title: 'Mine' });
  service.change({ points: 3 });
  await service.send(update({ points: 3 }), 3);
  await expect(service.send(update({ points: 5 }), 3)).rejects.toMatchObject(STALE);
});

test('a change whose response was lost is no conflict when it is sent again', async () => {
  const service = new Service();
  service.loses = true;
  const rename = update({ title: 'Mine' });
  await expect(service.send(rename, 1)).rejects.toThrow('Failed to fetch');
  service.loses = false;
  await service.send(rename, 1, true);
  expect(service.story.title).toBe('Mine');
});
