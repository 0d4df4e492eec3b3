import type { Client } from './client';

type Story = Record<string, any> & { id: number; seq: number };

/** The whole log of a board, whose revisions are held to have no gap. */
export async function log(client: Client, board: string): Promise<any[]> {
  const events: any[] = [];
  for (;;) {
    const path = `/api/boards/${encodeURIComponent(board)}/events?after=${events.length}`;
    const { body } = await client.get(path);
    if (body.length === 0) return events;
    events.push(...body);
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, i) => i + 1));
  }
}

/** The stories of a board as its log alone tells them, by `seq`, then `id`. */
export function storiesOf(events: any[]): Story[] {
  const stories = new Map<number, Story>();
  for (const { type, entity, id, at, before, after } of events) {
    if (type === 'stories.shifted') {
      const list = entity === 'board' ? null : id;
      const shifted = [...stories.values()].filter(
        (story) =>
          story.sprint_id === list &&
          inOrder(before.first, story) <= 0 &&
          inOrder(story, before.last) <= 0 &&
          !after.except.includes(story.id),
      );
      expect(shifted).toHaveLength(after.count);
      for (const story of shifted) {
        story.seq += after.by;
        story.version += 1;
        story.updated_at = at;
      }
    } else if (entity === 'story') {
      if (after === null || type === 'story.moved_out') stories.delete(id);
      else if (before === null) {
        const { tasks: _, ...story } = after;
        stories.set(id, story);
      } else {
        const story = stories.get(id);
        expect(story).toMatchObject(before);
        Object.assign(story ?? {}, after);
      }
    }
  }
  return [...stories.values()].sort(inOrder);
}

export function inOrder(a: { id: number; seq: number }, b: { id: number; seq: number }): number {
  return a.seq - b.seq || a.id - b.id;
}
