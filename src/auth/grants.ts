import type { Change } from '../database/change';

/**
 * Lets what tokens may see follow a board to its new name, or forget it where it is deleted (null): a
 * later board of the old name is another one.
 */
export async function moveGrants(change: Change, from: string, to: string | null): Promise<void> {
  const tokens = await change.query<{ id: number; boards: string }>(
    `SELECT id, boards FROM tokens WHERE boards IS NOT NULL ORDER BY id${change.forUpdate}`,
  );
  for (const { id, boards } of tokens) {
    const names = JSON.parse(boards) as string[];
    if (!names.includes(from)) continue;
    const moved = new Set(names.map((name) => (name === from ? to : name)));
    moved.delete(null);
    await change.run('UPDATE tokens SET boards = ? WHERE id = ?', [JSON.stringify([...moved]), id]);
  }
}
