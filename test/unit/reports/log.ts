import type { EventType, Fields } from '../../../src/events/event';
import type { EventView } from '../../../src/events/event.dto';

interface Sprint {
  id: number;
  start_date: string;
  end_date: string | null;
  state: string;
  started_at: string | null;
  completed_at: string | null;
}

export interface Story {
  id: number;
  board_name: string;
  sprint_id: number | null;
  title: string;
  points: number | null;
  status: 'todo' | 'in_progress' | 'done';
  done_at?: string | null;
}

type StoryChange = Partial<Pick<Story, 'title' | 'points' | 'status' | 'done_at' | 'sprint_id'>>;

/** Writes the log of a board as the service does, without a service. `now` is the time of the next event. */
export class Log {
  readonly events: EventView[] = [];
  readonly stories = new Map<number, Story>();
  readonly sprints = new Map<number, Sprint>();
  now = '2026-03-01T12:00:00.000Z';
  private ids = 0;

  constructor(time_zone = 'UTC') {
    this.append('board.created', 1, null, { id: 1, name: 'Team', time_zone });
  }

  timeZone(time_zone: string): void {
    this.append('board.updated', 1, {}, { time_zone });
  }

  rename(name: string): void {
    this.append('board.updated', 1, {}, { name });
  }

  workingDays(...working_days: string[]): void {
    this.append('board.updated', 1, {}, { working_days });
  }

  sprint(start_date: string, end_date: string | null = null): number {
    const never = { started_at: null, completed_at: null };
    const sprint = { id: ++this.ids, start_date, end_date, state: 'planned', ...never };
    this.sprints.set(sprint.id, sprint);
    this.append('sprint.created', sprint.id, null, { ...sprint });
    return sprint.id;
  }

  dates(id: number, dates: { start_date?: string; end_date?: string | null }): void {
    Object.assign(this.sprints.get(id) as Sprint, dates);
    this.append('sprint.updated', id, {}, dates);
  }

  story(sprint_id: number | null, points: number | null = null, more: Partial<Story> = {}): number {
    const id = ++this.ids;
    const story: Story = {
      id,
      board_name: 'Team',
      sprint_id,
      title: `Story ${id}`,
      points,
      status: 'todo',
      ...more,
    };
    this.stories.set(id, story);
    this.append('story.created', id, null, { ...story });
    return id;
  }

  update(id: number, change: StoryChange): void {
    const story = this.stories.get(id) as Story;
    const before = Object.fromEntries(
      Object.keys(change).map((name) => [name, story[name as keyof Story]]),
    );
    Object.assign(story, change);
    const type = 'sprint_id' in change ? 'story.moved' : 'story.updated';
    this.append(type, id, before, { ...change });
  }

  delete(id: number): void {
    const story = this.stories.get(id) as Story;
    this.stories.delete(id);
    this.append('story.deleted', id, { ...story }, null);
  }

  /** Moves a story to the backlog of another board. */
  moveOut(id: number): void {
    const { sprint_id } = this.stories.get(id) as Story;
    this.stories.delete(id);
    this.append(
      'story.moved_out',
      id,
      { board_name: 'Team', sprint_id },
      { board_name: 'Others', sprint_id: null },
    );
  }

  /** Moves a story in from another board, with all its fields. */
  moveIn(id: number, sprint_id: number | null, points: number | null): void {
    const story: Story = {
      id,
      board_name: 'Team',
      sprint_id,
      title: `Story ${id}`,
      points,
      status: 'todo',
    };
    this.stories.set(id, story);
    this.append('story.moved_in', id, null, { ...story, tasks: [] });
  }

  /** @param started_at the time of the start on another service */
  start(id: number, started_at = this.now): void {
    Object.assign(this.sprints.get(id) as Sprint, { started_at });
    this.append('sprint.started', id, {}, { started_at });
  }

  /**
   * @param completed_at the time of the completion in another tool
   * @param started those of the start
   */
  complete(
    id: number,
    to: number | null = null,
    completed_at = this.now,
    started: { started_at?: string } = {},
  ): void {
    const after = { state: 'completed', completed_at, ...started };
    Object.assign(this.sprints.get(id) as Sprint, after);
    this.append('sprint.completed', id, {}, after);
    for (const story of this.stories.values()) {
      if (story.sprint_id === id && story.status !== 'done')
        this.update(story.id, { sprint_id: to });
    }
  }

  reopen(id: number): void {
    Object.assign(this.sprints.get(id) as Sprint, { state: 'active', completed_at: null });
    this.append('sprint.reopened', id, {}, { state: 'active', completed_at: null });
  }

  /** Returns the events that the reports of a sprint need. */
  of(sprint: number): EventView[] {
    const touched = new Set<number>();
    const sprints = new Map<number, unknown>();
    for (const { entity, id, after } of this.events) {
      if (entity !== 'story') continue;
      if (after === null) sprints.delete(id);
      else if ('sprint_id' in after) sprints.set(id, after.sprint_id);
      if (sprints.get(id) === sprint) touched.add(id);
    }
    return this.events.filter(
      ({ entity, id }) =>
        entity === 'board' ||
        (entity === 'sprint' && id === sprint) ||
        (entity === 'story' && touched.has(id)),
    );
  }

  private append(type: EventType, id: number, before: Fields | null, after: Fields | null): void {
    this.events.push({
      board_name: 'Team',
      revision: this.events.length + 1,
      type,
      at: this.now,
      actor: 'anonymous',
      entity: type.split('.')[0] as EventView['entity'],
      id,
      before,
      after,
    });
  }
}
