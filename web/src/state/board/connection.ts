import { batch, signal } from '@preact/signals';
import { api, headersOf } from '../../api/client';
import { ApiError, isMissing, isTemporary } from '../../api/problem';
import type { Board } from '../../api/types';
import { RepeatedRequests } from '../../util/repeated-requests';
import type { Card } from '../model';
import type { ConfirmedBoard } from './confirmed-board';

export const NAME_REUSED =
  'This board was renamed or deleted, and another one has its name. Reload the page.';

/**
 * Reads a board and its entity tag.
 * @throws ApiError 404 if no board has this name, or if another board has got it meanwhile
 */
export async function readBoard({
  id,
  name,
}: Pick<Board, 'id' | 'name'>): Promise<[Board, string]> {
  const params = { path: { board_name: name } };
  const { data, response } = await api.GET('/api/boards/{board_name}', { params });
  const board = data as Board;
  if (board.id !== id) throw new ApiError(404, 'board_not_found', NAME_REUSED);
  return [board, headersOf(response).etag];
}

/** Reads an open board under its present name, and repeats each read until the service answers. */
export class Connection {
  /** Whether the last read failed because the service cannot be reached. */
  readonly isUnreachable = signal(false);
  readonly isClosed = signal(false);
  private readonly requests = new RepeatedRequests();

  /** @param onRenamed called when the board was renamed */
  constructor(
    public name: string,
    private readonly confirmed: ConfirmedBoard,
    private readonly onRenamed: (from: string, to: string) => void,
  ) {}

  /**
   * Repeats a read as `RepeatedRequests` does, and under the new name of a board that was renamed. If the board is
   * closed, the promise never settles.
   */
  async untilAnswered<T>(read: () => Promise<T>, onUnreachable?: () => Promise<void>): Promise<T> {
    const fail = async (error: unknown): Promise<void> => {
      if (!isTemporary(error)) return;
      this.isUnreachable.value = true;
      await onUnreachable?.();
    };
    try {
      return await this.requests.untilAnswered(() => this.readByName(read), fail);
    } finally {
      this.isUnreachable.value = false;
    }
  }

  /** Makes a read fail temporarily if the board was renamed; the next attempt then uses the new name. */
  private async readByName<T>(read: () => Promise<T>): Promise<T> {
    const { name } = this;
    try {
      return await read();
    } catch (error) {
      const isUnknown = isMissing(error) && error.code === 'board_not_found';
      if (isUnknown && this.confirmed.state.value && (await this.findRenamed(name))) {
        throw new TypeError('renamed', { cause: error });
      }
      throw error;
    }
  }

  /** Follows the board to its new name, which a request or the stream has reported. */
  rename(to: string): void {
    const from = this.name;
    if (from === to) return;
    batch(() => {
      this.name = to;
      this.onRenamed(from, to);
    });
  }

  /** Checks that this board still has its name. @throws ApiError 404 as `readBoard` does */
  async requireOwnName(): Promise<void> {
    await readBoard({ id: this.confirmed.require().board.id, name: this.name });
  }

  /**
   * Finds the board by its id after one of its names was not found. Returns whether it has another name, which
   * another request may have found first.
   */
  async findRenamed(from: string): Promise<boolean> {
    const { data } = await api.GET('/api/boards');
    const { id } = this.confirmed.require().board;
    const board = (data as Board[]).find((each) => each.id === id);
    if (!board || board.name === from) return false;
    this.confirmed.putBoard(board);
    this.rename(board.name);
    return true;
  }

  /**
   * Whether a story is on another board. The revision of that board says nothing about this one.
   * @param name the name of this board before the story was read
   */
  async isElsewhere({ board_name }: Card, name: string): Promise<boolean> {
    if (board_name === name || board_name === this.name) return false;
    await this.findRenamed(name);
    return board_name !== this.name;
  }

  /** Repeats waiting reads now. */
  retry(): void {
    this.requests.retry();
  }

  close(): void {
    this.isClosed.value = true;
    this.requests.stop();
  }
}
