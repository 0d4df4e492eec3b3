import type { ImportFormat, ImportView } from '../../api/types';
import { formatNumber, plural } from '../../util/format';

/** The formats, as people call them. */
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

/** How a file comes out of each tool. */
export const SOURCES: readonly { name: string; how: string }[] = [
  {
    name: 'Jira',
    how: 'Search for the issues, ordered by rank, then Export → Export CSV (all fields). What the search of the REST API answers has the dates of the sprints, too.',
  },
  { name: 'Trello', how: 'Menu of the board → Print, export and share → Export as JSON.' },
  { name: 'Taiga', how: 'Settings of the project → Project → Export; it is sent by mail.' },
  { name: 'Linear', how: 'Settings → Workspace → Import & export → Export CSV.' },
  { name: 'GitHub', how: 'What the REST API answers to a list of issues, as JSON.' },
  { name: 'Sprintline', how: 'Settings of a board → Export board.' },
  {
    name: 'A spreadsheet',
    how: 'Save it as CSV, with a row of headers such as title, status, points, sprint.',
  },
];

type Words = (count: number) => string;

const count =
  (one: string, many: string, rest = ''): Words =>
  (n) =>
    `${formatNumber(n)} ${n === 1 ? one : many}${rest}`;

const cut = (what: string): Words =>
  count(`${what} is too long and is cut`, `${what}s are too long and are cut`);

/** What a warning means to the person who imports. */
const WARNINGS: Record<string, Words> = {
  assignee_cut: cut('assignee'),
  blocked: count(
    'story is blocked, which has no place here',
    'stories are blocked, which has no place here',
  ),
  characters_removed: count(
    'text has characters that are removed',
    'texts have characters that are removed',
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
  external_id_cut: cut('id'),
  ignored_fields: count(
    'value is of a field that has no place here',
    'values are of fields that have no place here',
  ),
  label_cut: cut('label'),
  labels_dropped: count('story has more than 20 labels', 'stories have more than 20 labels'),
  long_row: count('row has more cells than the header', 'rows have more cells than the header'),
  no_external_id: count(
    'row has no id, so importing the file again would add it again',
    'rows have no id, so importing the file again would add them again',
  ),
  open_in_completed_sprint: count(
    'completed sprint has open stories',
    'completed sprints have open stories',
  ),
  other_assignees: count(
    'story has several people; the first is taken',
    'stories have several people; the first is taken',
  ),
  parent_ignored: count('story loses its parent', 'stories lose their parent'),
  parent_missing: count(
    'sub-task becomes a story unless the board has its story, because the file has not',
    'sub-tasks become stories unless the board has their stories, because the file has not',
  ),
  points_differ: count(
    'story has several points; the first are taken',
    'stories have several points; the first are taken',
  ),
  points_field_assumed: () => 'The field of the points had to be guessed',
  points_invalid: count(
    'value is no number of points and is dropped',
    'values are no numbers of points and are dropped',
  ),
  priority_unknown: count(
    'priority is not known and is dropped',
    'priorities are not known and are dropped',
  ),
  short_row: count('row has fewer cells than the header', 'rows have fewer cells than the header'),
  skipped: count('row is skipped, more than are listed', 'rows are skipped, more than are listed'),
  sprint_completed: count(
    'thing stays as it is, because its sprint is completed',
    'things stay as they are, because their sprints are completed',
  ),
  sprint_dates_invalid: count('sprint has impossible dates', 'sprints have impossible dates'),
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
    'task loses fields that only stories have',
    'tasks lose fields that only stories have',
  ),
  template: count('template becomes a story', 'templates become stories'),
  title_cut: cut('title'),
  title_missing: count(
    'story has no title and gets its id as one',
    'stories have no title and get their ids as one',
  ),
  unknown_column: count('column is ignored', 'columns are ignored'),
};

const SKIPPED: Record<string, Words> = {
  archived: count('archived story', 'archived stories'),
  subtask_is_story: count(
    'sub-task that is a story of the board already',
    'sub-tasks that are stories of the board already',
  ),
  duplicate: count('row that occurs twice', 'rows that occur twice'),
  epic: count('epic, which becomes a label', 'epics, which become labels'),
  pull_request: count('pull request', 'pull requests'),
  separator: count('separator', 'separators'),
  subtask: count('sub-task', 'sub-tasks'),
  taiga_issue: count('issue of Taiga', 'issues of Taiga'),
  task_without_story: count('task without a story', 'tasks without a story'),
  too_many_tasks: count('task beyond what a story holds', 'tasks beyond what a story holds'),
};

const wordsOf = (words: Record<string, Words>, code: string, n: number): string =>
  (words[code] ?? count(code.replaceAll('_', ' '), code.replaceAll('_', ' ')))(n);

export const warningText = (code: string, n: number): string => wordsOf(WARNINGS, code, n);
export const skippedText = (code: string, n: number): string => wordsOf(SKIPPED, code, n);

/** “3 sprints, 36 stories and 4 tasks”; empty where there is nothing. */
export function countsText({ sprints, stories, tasks }: ImportView['created']): string {
  const parts = [
    sprints > 0 && plural(sprints, 'sprint'),
    stories > 0 && plural(stories, 'story', 'stories'),
    tasks > 0 && plural(tasks, 'task'),
  ].filter((part) => part !== false);
  const last = parts.pop() ?? '';
  return parts.length > 0 ? `${parts.join(', ')} and ${last}` : last;
}
