/**
 * Lets this process's changes of a board go one after the other once they have got in each other's
 * way. A server by itself lets one wait for the other at the board's row; the nodes of a cluster let
 * all of them work and roll back all but one, time and again.
 */
export class Turns {
  /** The last in each board's line. */
  private readonly last = new Map<number, Promise<void>>();

  /** Whether somebody has, or waits for, a turn at this board. */
  taken(board: number): boolean {
    return this.last.size > 0 && this.last.has(board);
  }

  /**
   * Waits for a turn at all of these boards; nobody waits in two lines in different orders, for all
   * are joined at once.
   * @returns what ends the turn; nothing where the deadline (epoch milliseconds) passed before
   */
  async take(boards: Iterable<number>, deadline: number): Promise<(() => void) | undefined> {
    let end = (): void => undefined;
    const turn = new Promise<void>((resolve) => (end = resolve));
    const before: Promise<void>[] = [];
    const mine = [...boards];
    for (const board of mine) {
      before.push(this.last.get(board) ?? Promise.resolve());
      this.last.set(board, turn);
    }
    const leave = (): void => {
      end();
      for (const board of mine) if (this.last.get(board) === turn) this.last.delete(board);
    };
    const come = Promise.all(before).then(() => true);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), Math.max(0, deadline - Date.now()));
    });
    const inTime = await Promise.race([come, late]);
    clearTimeout(timer);
    if (inTime) return leave;
    void come.then(leave);
    return undefined;
  }
}
