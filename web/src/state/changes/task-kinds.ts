import { api, headersOf } from '../../api/client';
import type { Task } from '../../api/types';
import { quoted } from '../../util/names';
import { statusName, withTask, withTasks } from '../model';
import type { Change, Kinds, Outcome } from './change';
import { ifMatchOf, now, temporaryId } from './change';
import { nextSeq } from './positions';

/** The change that creates a deleted task again. */
export const createTaskAgain = (task: Task, storyId: number): Change => ({
  kind: 'task.create',
  id: temporaryId(),
  storyId,
  title: task.title,
  status: task.status,
  assignee: task.assignee,
  external_id: task.external_id,
  was: task.id,
});

const taskOutcome = (task: Task, response: Response): Outcome => ({
  commit: (state) => withTask(state, task),
  ...headersOf(response),
  id: task.id,
  version: task.version,
});

export const TASK_KINDS: Kinds<'task'> = {
  'task.create': {
    label: ({ title }) => `Create task ${quoted(title)}`,
    apply: (state, { id, storyId, title, status = 'todo', assignee = null, external_id = null }) =>
      withTasks(state, storyId, (tasks) => [
        ...tasks,
        {
          id,
          story_id: storyId,
          title,
          status,
          seq: nextSeq(tasks),
          assignee,
          external_id,
          created_at: now(),
          updated_at: now(),
          done_at: null,
          version: 0,
        },
      ]),
    async send({ storyId, title, status, assignee, external_id }, _board, { key }) {
      const { data, response } = await api.POST('/api/stories/{story_id}/tasks', {
        params: { path: { story_id: storyId }, header: { 'Idempotency-Key': key } },
        body: { title, status, assignee, external_id },
      });
      return taskOutcome(data as Task, response);
    },
    inverse: ({ storyId }, _before, id) => [{ kind: 'task.delete', id, storyId }],
  },

  'task.update': {
    // With the new title, which a user may need if it is not saved.
    label: ({ set: { status, title = '' } }) =>
      status ? `Set a task to ${statusName(status)}` : `Rename a task to ${quoted(title)}`,
    apply: (state, { id, storyId, set }) =>
      withTasks(state, storyId, (tasks) =>
        tasks.map((task) => (task.id === id ? { ...task, ...set } : task)),
      ),
    async send({ id, set }, _board, conditions) {
      const { data, response } = await api.PUT('/api/tasks/{task_id}', {
        params: { path: { task_id: id }, header: ifMatchOf(conditions) },
        body: set,
      });
      return taskOutcome(data as Task, response);
    },
    inverse({ id, storyId, set }, before) {
      const task = before.tasks.get(storyId)?.find((each) => each.id === id);
      if (!task) return [];
      const old = Object.fromEntries(
        Object.keys(set).map((name) => [name, task[name as 'title' | 'status']]),
      );
      return [{ kind: 'task.update', id, storyId, set: old }];
    },
  },

  'task.delete': {
    label({ id, storyId }, before) {
      const task = before.tasks.get(storyId)?.find((each) => each.id === id);
      return task ? `Delete task ${quoted(task.title)}` : 'Delete a task';
    },
    apply: (state, { id, storyId }) =>
      withTasks(state, storyId, (tasks) => tasks.filter((task) => task.id !== id)),
    async send({ id, storyId }, _board, conditions) {
      const { response } = await api.DELETE('/api/tasks/{task_id}', {
        params: { path: { task_id: id }, header: ifMatchOf(conditions) },
      });
      return {
        commit: (state) => withTasks(state, storyId, (tasks) => tasks.filter((t) => t.id !== id)),
        revision: headersOf(response).revision,
      };
    },
    inverse({ id, storyId }, before) {
      const task = before.tasks.get(storyId)?.find((each) => each.id === id);
      return task ? [createTaskAgain(task, storyId)] : [];
    },
  },
};
