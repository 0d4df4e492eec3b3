import type { Status } from '../../stories/story.entity';
import { withPauses } from '../../time/time-slice';
import { InvalidFile, invalidEntry } from '../files/invalid-file';
import { fieldsOf, listOf, readJson, textOf, textsOf } from '../files/json';
import type { SourceFile, SourceReader, SourceSprint } from '../files/source';
import { Warnings } from '../files/source';
import type { Mapping } from '../import/import.dto';
import { comparable } from '../import/known-names';
import { textOfDocument } from './adf';
import { CustomFields, requireFewFields } from './jira-fields';
import type { JiraIssue } from './jira-issues';
import { jiraSource, sprintOf, sprintWith } from './jira-issues';
import { kindOf } from './jira-names';

type Fields = Record<string, unknown>;

/** The response of a search with Jira's REST API: one page, a list of pages, or only the issues. */
export const jiraJson: SourceReader = async (file, mapping) => {
  const search = new JiraSearch(mapping);
  const issue = (value: unknown): void => search.add(fieldsOf(value));
  const page = (value: unknown): void => search.addPage(fieldsOf(value));
  await readJson(
    file,
    {
      '$.issues.*': issue,
      '$.names': (names) => page({ names }),
      '$.schema': (schema) => page({ schema }),
      '$.total': (total) => page({ total }),
      '$.isLast': (isLast) => page({ isLast }),
      '$.errorMessages': (errorMessages) => page({ errorMessages }),
      '$.*.issues.*': issue,
      '$.*': (value) => {
        // An issue, or a page whose issues were added already.
        const { issues, errorMessages } = fieldsOf(value);
        if (Array.isArray(issues ?? errorMessages)) page(value);
        else issue(value);
      },
    },
    { several: true },
  );
  return search.source();
};

const CATEGORIES = new Map<string | null, Status>([
  ['new', 'todo'],
  ['indeterminate', 'in_progress'],
  ['done', 'done'],
]);

class JiraSearch {
  readonly custom: CustomFields;
  private readonly warnings = new Warnings('entry');
  private readonly found: JiraIssue[] = [];
  /** The keys of stories, by the keys of the sub-tasks that they name. */
  private readonly subtasks = new Map<string, string>();
  private readonly present = new Set<string>();
  /** The greatest number of issues that a page says the search has. */
  private total = 0;
  /** Whether the last page says that it is the last. */
  private isLast = true;

  constructor(mapping: Mapping) {
    this.custom = new CustomFields(mapping);
  }

  /** @throws InvalidFile if the entry is not an issue */
  add(entry: Fields): void {
    const line = this.found.length + 1;
    const fields = fieldsOf(entry.fields);
    const key = textOf(entry.key);
    if (key === null || entry.fields === undefined) {
      const detail = 'it does not have the key and the fields of a Jira issue';
      throw invalidEntry(line, 'required', detail);
    }
    for (const name of Object.keys(fields)) this.present.add(name);
    requireFewFields(this.present.size);
    this.custom.add(line, fields);
    const parent = fieldsOf(fields.parent);
    const epic = fieldsOf(fields.epic);
    const parentFields = fieldsOf(parent.fields);
    this.found.push({
      story: {
        line,
        title: textOf(fields.summary) ?? '',
        description: descriptionOf(fields.description),
        ...statusOf(fields),
        priority: textOf(fieldsOf(fields.priority).name),
        points: null,
        assignee: personOf(fields.assignee),
        labels: textsOf(fields.labels),
        archived: textOf(fields.archiveddate) !== null,
      },
      key,
      id: textOf(entry.id),
      kind: kindOfType(fields.issuetype),
      parents: textsOf([parent.key, parent.id, epic.key]),
      epicTitle: textOf(epic.name) ?? textOf(epic.summary) ?? textOf(parentFields.summary),
      epicName: null,
      sprints: sprintsOf(fields),
      rank: null,
    });
    for (const subtask of listOf(fields.subtasks)) {
      const own = textOf(fieldsOf(subtask).key);
      if (own !== null) this.subtasks.set(own, key);
    }
  }

  /** Adds the fields of a page besides its issues. @throws InvalidFile if it is an error of Jira */
  addPage({ names, schema, total, isLast, errorMessages }: Fields): void {
    const [message] = textsOf(errorMessages);
    if (message !== undefined) {
      const detail = `a page of the search is an error of Jira: ${message.slice(0, 200)}`;
      throw invalidEntry(this.found.length + 1, 'malformed', detail);
    }
    this.custom.addNames(names);
    this.custom.addSchema(schema);
    if (typeof total === 'number') this.total = Math.max(this.total, total);
    if (typeof isLast === 'boolean') this.isLast = isLast;
  }

  async source(): Promise<SourceFile> {
    if (this.found.length === 0) throw new InvalidFile('The file has no issues.');
    if (!this.present.has('summary')) {
      throw new InvalidFile('No issue has a title (summary); request the field summary, too.');
    }
    const { length } = this.found;
    if (this.total > length) {
      this.warnings.add('page_missing', `the file has ${length} of ${this.total} issues`);
    } else if (!this.isLast) {
      this.warnings.add('page_missing', `more issues follow the ${length} of the file`);
    }
    const epics = this.found.filter(({ kind }) => kind === 'epic').map(({ key }) => key);
    const custom = await this.custom.decide(this.warnings, new Set(epics));
    const issues: JiraIssue[] = [];
    for await (const issue of withPauses(this.found)) {
      const own = custom.of(issue.story.line);
      issues.push({
        ...issue,
        story: { ...issue.story, points: own.points },
        parents: [...issue.parents, ...(own.epicLink === null ? [] : [own.epicLink])],
        epicName: issue.kind === 'epic' ? own.epicName : null,
        rank: own.rank,
      });
    }
    const keys = new Set(issues.map(({ key }) => key));
    for (const [key, story] of this.subtasks) {
      if (!keys.has(key)) {
        this.warnings.add('subtask_missing', `${key}, a sub-task of ${story}, is not in the file`);
      }
    }
    const source = await jiraSource(issues, this.warnings);
    const { present } = this;
    // The fields that the search did not request.
    const lacks = {
      description: !present.has('description'),
      priority: !present.has('priority'),
      points: Object.keys(custom.columns).length === 0,
      assignee: !present.has('assignee'),
      labels: !present.has('labels') && source.stories.every(({ epic }) => epic === null),
      sprints:
        !present.has('sprint') &&
        !this.custom.has('gh-sprint') &&
        issues.every(({ sprints }) => sprints.length === 0),
    };
    return { ...source, columns: custom.columns, lacks };
  }
}

function statusOf({ status, resolutiondate, statuscategorychangedate }: Fields) {
  const { name, statusCategory } = fieldsOf(status);
  const category = CATEGORIES.get(textOf(fieldsOf(statusCategory).key));
  return {
    status: textOf(name) === null ? null : { name: String(name), ...(category && { category }) },
    done: textOf(resolutiondate) ?? textOf(statuscategorychangedate),
  };
}

function kindOfType(type: unknown): JiraIssue['kind'] {
  const { name, subtask, hierarchyLevel } = fieldsOf(type);
  if (subtask === true) return 'subtask';
  if (typeof hierarchyLevel === 'number') return hierarchyLevel > 0 ? 'epic' : 'story';
  const kind = textOf(name) === null ? null : kindOf(String(name));
  return kind === 'subtask' && subtask === false ? 'story' : kind;
}

/** Version 2 of the API has wiki text, version 3 a document. */
function descriptionOf(description: unknown): string | null {
  return typeof description === 'string' ? description : textOfDocument(description) || null;
}

function personOf(person: unknown): string | null {
  const { displayName, name, emailAddress } = fieldsOf(person);
  return textOf(displayName) ?? textOf(name) ?? textOf(emailAddress);
}

/** Returns the sprints of an issue, from all fields that may contain them, oldest first. */
function sprintsOf({ sprint, closedSprints, ...fields }: Fields): SourceSprint[] {
  const sprints = new Map<string, SourceSprint>();
  const custom = Object.entries(fields).filter(([name]) => name.startsWith('customfield_'));
  for (const value of [closedSprints, ...custom.map(([, value]) => value), sprint].flat()) {
    const found = sprintOfValue(value);
    if (found) sprints.set(found.key, found);
  }
  return [...sprints.values()];
}

function sprintOfValue(value: unknown): SourceSprint | null {
  if (typeof value === 'string') {
    return value.startsWith('com.atlassian.greenhopper.service.sprint.') ? sprintOf(value) : null;
  }
  const fields = fieldsOf(value);
  const { id, name, state } = fields;
  const isSprint =
    typeof id === 'number' &&
    typeof name === 'string' &&
    typeof state === 'string' &&
    /^(active|closed|future)$/.test(comparable(state));
  return isSprint ? sprintWith(fields) : null;
}
