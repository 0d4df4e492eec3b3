import { api, createOn, headersOf } from '../../api/client';
import type { NewStory, Position, Story } from '../../api/types';
import type { BoardState, Card } from '../model';
import { listName, statusName, storiesOf, withoutStory, withStory } from '../model';
import { plural } from '../../util/format';
import { isolated, quoted } from '../../util/names';
import type { Kinds, Of, Outcome, StoryFields } from './change';
import { ifMatchOf, now, temporaryId } from './change';
import { movesBack, nextSeq, seqsAt } from './positions';
import { createTaskAgain } from './task-kinds';

const titleOf = (state: BoardState, id: number): string =>
  quoted(state.stories.get(id)?.title ?? String(id));

/** A place in a list, as in “Move “Ant” before “Bee””. */
function placeOf(state: BoardState, position: Position): string {
  if (position === 'first') return 'to the top';
  if (position === 'last') return 'to the bottom';
  return 'before' in position
    ? `before ${titleOf(state, position.before)}`
    : `after ${titleOf(state, position.after)}`;
}

/** A story after an update. */
export const updated = (story: Card, set: StoryFields): Card => ({
  ...story,
  ...set,
  done_at: (set.status ?? story.status) === 'done' ? (story.done_at ?? now()) : null,
});

/** The body that creates a deleted story again. */
const bodyOf = ({
  id: _id,
  board_name: _board,
  sprint_id: _sprint,
  seq: _seq,
  created_at: _created,
  updated_at: _updated,
  done_at: _done,
  version: _version,
  ...body
}: Card): NewStory => body;

/** The change that creates a deleted story again, at the end of its list and without its tasks. */
export const createStoryAgain = (story: Card): Of<'story.create'> => ({
  kind: 'story.create',
  id: temporaryId(),
  list: story.sprint_id,
  body: bodyOf(story),
  was: story.id,
});

const storyOutcome = (story: Story, response: Response): Outcome => ({
  commit: (state) => withStory(state, story),
  ...headersOf(response),
  id: story.id,
  version: story.version,
});

export const STORY_KINDS: Kinds<'story'> = {
  'story.create': {
    label: ({ body }) => `Create ${quoted(body.title)}`,
    apply: (state, { id, list, body }) =>
      withStory(state, {
        id,
        board_name: state.board.name,
        sprint_id: list,
        seq: nextSeq(storiesOf(state, list)),
        version: 0,
        external_id: body.external_id ?? null,
        created_at: now(),
        updated_at: now(),
        done_at: body.status === 'done' ? now() : null,
        title: body.title,
        description: body.description ?? null,
        points: body.points ?? null,
        priority: body.priority ?? null,
        assignee: body.assignee ?? null,
        labels: body.labels ?? [],
        status: body.status ?? 'todo',
      }),
    async send({ list, body }, board, { key }) {
      if (list === null) {
        const { data, response } = await createOn<Story>(board, { type: 'story', set: body }, key);
        return storyOutcome(data, response);
      }
      const { data, response } = await api.POST('/api/sprints/{sprint_id}/stories', {
        params: { path: { sprint_id: list }, header: { 'Idempotency-Key': key } },
        body,
      });
      return storyOutcome(data as Story, response);
    },
    inverse: (_change, _before, id) => [{ kind: 'story.delete', id }],
  },

  'story.update': {
    label({ id, set }, before) {
      const fields = Object.keys(set);
      if (set.status !== undefined && fields.length === 1) {
        return `Move ${titleOf(before, id)} to ${statusName(set.status)}`;
      }
      return `Change ${titleOf(before, id)}`;
    },
    apply(state, { id, set }) {
      const story = state.stories.get(id);
      return story ? withStory(state, updated(story, set)) : state;
    },
    async send({ id, set }, _board, conditions) {
      const { data, response } = await api.PUT('/api/stories/{story_id}', {
        params: { path: { story_id: id }, header: ifMatchOf(conditions) },
        body: set,
      });
      return storyOutcome(data as Story, response);
    },
    inverse({ id, set }, before) {
      const story = before.stories.get(id);
      if (!story) return [];
      const old = Object.fromEntries(
        Object.keys(set).map((name) => [name, story[name as keyof StoryFields] ?? null]),
      );
      return [{ kind: 'story.update', id, set: old }];
    },
  },

  'story.move': {
    label({ ids, list, position }, before) {
      const [first = 0] = ids;
      const what =
        ids.length === 1 ? titleOf(before, first) : plural(ids.length, 'story', 'stories');
      const isSame = ids.every((id) => before.stories.get(id)?.sprint_id === list);
      const where = isSame
        ? placeOf(before, position)
        : `to ${isolated(listName(before, list, 'the backlog'))}`;
      return `Move ${what} ${where}`;
    },
    apply(state, { ids, list, position }) {
      const others = storiesOf(state, list).filter(({ id }) => !ids.includes(id));
      const seqs = seqsAt(others, position, ids.length);
      const stories = new Map(state.stories);
      ids.forEach((id, i) => {
        const story = stories.get(id);
        if (story) stories.set(id, { ...story, sprint_id: list, seq: seqs[i] ?? story.seq });
      });
      return { ...state, stories };
    },
    async send({ ids, list, position }, board, conditions) {
      const [first = 0] = ids;
      const header = { 'Idempotency-Key': conditions.key, ...ifMatchOf(conditions) };
      if (ids.length === 1) {
        const { data, response } = await api.POST('/api/stories/{story_id}/move', {
          params: { path: { story_id: first }, header },
          body: { sprint_id: list, position: position as 'first' },
        });
        return storyOutcome(data as Story, response);
      }
      const { data, response } = await api.POST('/api/boards/{board_name}/stories/move', {
        params: { path: { board_name: board }, header },
        body: { story_ids: ids, sprint_id: list, position: position as 'first' },
      });
      return {
        commit: (state) => (data as Story[]).reduce(withStory, state),
        revision: headersOf(response).revision,
      };
    },
    inverse({ ids }, before) {
      const stories = ids.map((id) => before.stories.get(id));
      // A story that is not loaded cannot be moved back, and moving only the others would not undo the change.
      if (!stories.every((each) => each !== undefined)) return [];
      const lists = new Set(stories.map(({ sprint_id }) => sprint_id));
      return [...lists].flatMap((list) => movesBack(before, list, new Set(ids)));
    },
  },

  'story.delete': {
    label: ({ id }, before) => `Delete ${titleOf(before, id)}`,
    apply: (state, { id }) => withoutStory(state, id),
    async send({ id }, _board, conditions) {
      const { response } = await api.DELETE('/api/stories/{story_id}', {
        params: { path: { story_id: id }, header: ifMatchOf(conditions) },
      });
      return {
        commit: (state) => withoutStory(state, id),
        revision: headersOf(response).revision,
      };
    },
    inverse({ id }, before) {
      const story = before.stories.get(id);
      if (!story) return [];
      const list = story.sprint_id;
      const create = createStoryAgain(story);
      const tasks = before.tasks.get(id) ?? [];
      const back = movesBack(before, list, new Set([id]));
      return [
        create,
        ...tasks.map((task) => createTaskAgain(task, create.id)),
        // Last, because it fails if the neighbour has left the list, and then the changes after it are not made.
        ...back.map((move) => ({ ...move, ids: [create.id] })),
      ];
    },
  },
};
