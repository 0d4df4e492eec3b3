import { Columns, labelsIn } from '../files/columns';
import type { CsvRow } from '../files/csv';
import { readTable } from '../files/csv';
import type { SourceReader } from '../files/source';
import { Warnings } from '../files/source';
import { statusOf } from '../import/known-names';
import type { JiraIssue } from './jira-issues';
import { jiraSource, sprintOf } from './jira-issues';
import type { JiraField } from './jira-names';
import { isDateColumn, JIRA_FIELDS, jiraField, kindOf } from './jira-names';

/** The most dates that are kept only to detect the order of day, month and year. */
const MAX_OTHER_DATES = 2000;

/** Jira issues, exported as CSV with all fields or with the current ones. */
export const jiraCsv: SourceReader = async (file, mapping) => {
  const warnings = new Warnings('line');
  const issues: JiraIssue[] = [];
  const otherDates = new Set<string>();
  const { columns } = await readTable(
    file,
    warnings,
    (header) => {
      const columns = new Columns(header, jiraField, JIRA_FIELDS, mapping);
      return { columns, dates: header.flatMap((name, i) => (isDateColumn(name) ? [i] : [])) };
    },
    (row, { columns, dates }) => {
      issues.push(issueOf(row, columns, warnings));
      for (const i of dates) {
        if (i >= row.cells.length || otherDates.size >= MAX_OTHER_DATES) break;
        otherDates.add(row.cells[i] ?? '');
      }
    },
  );
  const source = await jiraSource(issues, warnings);
  return {
    ...source,
    columns: columns.recognised(),
    otherDates,
    lacks: {
      ...columns.lacks(),
      labels:
        !LABEL_FIELDS.some((field) => columns.has(field)) &&
        source.stories.every(({ epic }) => epic === null),
      sprints: !columns.has('sprint'),
    },
  };
};

/** The fields that are only for labels of stories; a parent may also be the story of a sub-task. */
const LABEL_FIELDS = ['labels', 'epic', 'epic_title'] as const;

function issueOf(row: CsvRow, columns: Columns<JiraField>, warnings: Warnings): JiraIssue {
  const first = (field: JiraField): string | null => columns.first(row, field);
  const trimmed = (field: JiraField): string | null => first(field)?.trim() ?? null;
  const ofCategory = trimmed('status_category');
  const category = statusOf(ofCategory ?? '');
  const name = trimmed('status') ?? (category ? ofCategory : null);
  const type = trimmed('type');
  const points = columns.all(row, 'points');
  if (new Set(points).size > 1) {
    warnings.at('points_differ', row.line, `${points.join(', ')}; the first is used`);
  }
  return {
    story: {
      line: row.line,
      title: first('title') ?? '',
      description: first('description'),
      status: name === null ? null : { name, ...(category && { category }) },
      priority: first('priority'),
      points: points[0] ?? null,
      assignee: first('assignee'),
      // Labels of Jira have no spaces; other tools that write its format join them.
      labels: labelsIn(columns.all(row, 'labels'), /[,;]?\s+/),
      done: trimmed('done_at') ?? trimmed('done_since'),
      archived: false,
    },
    key: trimmed('external_id'),
    id: trimmed('id'),
    kind: type === null ? 'story' : kindOf(type),
    parents: [...columns.all(row, 'parent'), ...columns.all(row, 'epic')],
    epicTitle: trimmed('epic_title') ?? trimmed('parent_title'),
    epicName: trimmed('epic_name'),
    sprints: columns.all(row, 'sprint').map(sprintOf),
    rank: trimmed('rank'),
  };
}
