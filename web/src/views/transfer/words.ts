import type { ImportFormat, ImportView } from '../../api/types';
import { plural } from '../../util/format';

/** The display names of the formats. */
export const FORMATS: Record<ImportFormat, string> = {
  'jira-csv': 'Jira (CSV)',
  'jira-json': 'Jira (REST)',
  trello: 'Trello',
  taiga: 'Taiga',
  'linear-csv': 'Linear',
  github: 'GitHub issues',
  csv: 'CSV',
  sprintline: 'Sprintline',
};

/** How to get a file from each tool. */
export const SOURCES: readonly { name: string; how: string }[] = [
  {
    name: 'Jira',
    how: 'Search for the issues, ordered by rank, then Export → Export CSV (all fields). The search of the REST API also returns the dates of the sprints; save its response as JSON.',
  },
  { name: 'Trello', how: 'Board menu → Print, export and share → Export as JSON.' },
  { name: 'Taiga', how: 'Project settings → Project → Export; Taiga sends it by e-mail.' },
  { name: 'Linear', how: 'Settings → Workspace → Import & export → Export CSV.' },
  {
    name: 'GitHub',
    how: 'Request the list of issues from the REST API, and save the response as JSON.',
  },
  { name: 'Sprintline', how: 'Board settings → Export board.' },
  {
    name: 'A spreadsheet',
    how: 'Save it as CSV, with a header row such as title, status, points, sprint.',
  },
];

type Words = (count: number) => string;

const count =
  (one: string, many: string): Words =>
  (n) =>
    plural(n, one, many);

const cut = (what: string): Words =>
  count(`${what} is too long and is cut`, `${what}s are too long and are cut`);

/** The texts of warnings. */
const WARNINGS: Record<string, Words> = {
  assignee_cut: cut('assignee'),
  blocked: count(
    'story is blocked, which is not imported',
    'stories are blocked, which is not imported',
  ),
  characters_removed: count(
    'text has invisible characters, which are removed',
    'texts have invisible characters, which are removed',
  ),
  date_unreadable: count(
    'date cannot be read and is dropped',
    'dates cannot be read and are dropped',
  ),
  dates_assumed: count(
    'sprint has no start date in the file; its dates are assumed',
    'sprints have no start date in the file; their dates are assumed',
  ),
  description_cut: cut('description'),
  epic_missing: count(
    'story has an epic that is not in the file; its key becomes the label',
    'stories have epics that are not in the file; their keys become the labels',
  ),
  external_id_cut: cut('id'),
  ignored_fields: count(
    'value is in a field that is not imported',
    'values are in fields that are not imported',
  ),
  label_cut: cut('label'),
  labels_dropped: count(
    'story has more than 20 labels; only the first 20 are imported',
    'stories have more than 20 labels; only the first 20 are imported',
  ),
  long_row: count(
    'row has more cells than the header; the extra ones are ignored',
    'rows have more cells than the header; the extra ones are ignored',
  ),
  no_external_id: count(
    'row has no id, so importing the file again would add it again',
    'rows have no id, so importing the file again would add them again',
  ),
  open_in_completed_sprint: count(
    'completed sprint has open stories',
    'completed sprints have open stories',
  ),
  other_assignees: count(
    'story has several assignees; the first one is imported',
    'stories have several assignees; the first one is imported',
  ),
  page_missing: count('page of the search is missing', 'pages of the search are missing'),
  parent_ignored: count(
    'story has a parent, which is not imported',
    'stories have a parent, which is not imported',
  ),
  parent_missing: count(
    'sub-task belongs to a story that is not in the file; it becomes a task if that story is on the board, else a story',
    'sub-tasks belong to stories that are not in the file; they become tasks if those stories are on the board, else stories',
  ),
  points_differ: count(
    'story has several values for points; the first one is imported',
    'stories have several values for points; the first one is imported',
  ),
  points_field_assumed: () => 'The field that contains the points was guessed',
  points_invalid: count(
    'value is not a valid number of points and is dropped',
    'values are not valid numbers of points and are dropped',
  ),
  priority_unknown: count(
    'priority is unknown and is dropped',
    'priorities are unknown and are dropped',
  ),
  short_row: count(
    'row has fewer cells than the header; the missing ones are empty',
    'rows have fewer cells than the header; the missing ones are empty',
  ),
  skipped: count('row is skipped; not all are listed', 'rows are skipped; not all are listed'),
  sprint_completed: count(
    'change to a completed sprint is not imported',
    'changes to completed sprints are not imported',
  ),
  sprint_dates_invalid: count('sprint has invalid dates', 'sprints have invalid dates'),
  sprint_goal_cut: count(
    'goal of a sprint is too long and is cut',
    'goals of sprints are too long and are cut',
  ),
  sprint_name_cut: count(
    'name of a sprint is too long and is cut',
    'names of sprints are too long and are cut',
  ),
  subtask_missing: count('sub-task is not in the file', 'sub-tasks are not in the file'),
  task_fields_dropped: count(
    'task has fields that only stories have; they are dropped',
    'tasks have fields that only stories have; they are dropped',
  ),
  template: count('template becomes a story', 'templates become stories'),
  title_cut: cut('title'),
  title_missing: count(
    'story has no title; its id becomes the title',
    'stories have no title; their ids become the titles',
  ),
  unknown_column: count('column is ignored', 'columns are ignored'),
};

const SKIPPED: Record<string, Words> = {
  archived: count('archived story', 'archived stories'),
  subtask_is_story: count(
    'sub-task that is already a story of the board',
    'sub-tasks that are already stories of the board',
  ),
  subtask_is_task: count(
    'story that is already a task of the board',
    'stories that are already tasks of the board',
  ),
  duplicate: count('duplicate row', 'duplicate rows'),
  epic: count('epic, which becomes a label', 'epics, which become labels'),
  pull_request: count('pull request', 'pull requests'),
  separator: count('separator', 'separators'),
  subtask: count('sub-task', 'sub-tasks'),
  taiga_issue: count('Taiga issue', 'Taiga issues'),
  task_without_story: count('task without a story', 'tasks without a story'),
  too_many_tasks: count(
    'task beyond the limit of 1,000 per story',
    'tasks beyond the limit of 1,000 per story',
  ),
};

const wordsOf = (words: Record<string, Words>, code: string, n: number): string =>
  (words[code] ?? count(code.replaceAll('_', ' '), code.replaceAll('_', ' ')))(n);

export const warningText = (code: string, n: number): string => wordsOf(WARNINGS, code, n);
export const skippedText = (code: string, n: number): string => wordsOf(SKIPPED, code, n);

/** The counts as text: “3 sprints, 36 stories and 4 tasks”; empty if all are 0. */
export function countsText({ sprints, stories, tasks }: ImportView['created']): string {
  const parts = [
    sprints > 0 && plural(sprints, 'sprint'),
    stories > 0 && plural(stories, 'story', 'stories'),
    tasks > 0 && plural(tasks, 'task'),
  ].filter((part) => part !== false);
  const last = parts.pop() ?? '';
  return parts.length > 0 ? `${parts.join(', ')} and ${last}` : last;
}

/** What an import would do: “Creates 3 sprints. Changes 1 story.” */
export function planText({ created, updated }: ImportView): string {
  const [creates, changes] = [countsText(created), countsText(updated)];
  if (!creates && !changes) return 'Nothing new to import.';
  return [creates && `Creates ${creates}.`, changes && `Changes ${changes}.`]
    .filter(Boolean)
    .join(' ');
}
