import { withPauses } from '../../time/time-slice';
import { textOf } from '../files/json';
import { sorted } from '../files/sorted';
import type { SourceFile, SourceSprint, SourceStory, Warnings } from '../files/source';
import type { SkippedRow } from '../import/import.dto';
import { requireFewSprints } from '../import/sprint-plan';

/** A Jira issue, as both of its formats have it. */
export interface JiraIssue {
  /** What a story takes over unchanged. */
  story: Omit<SourceStory, 'external_id' | 'epic' | 'sprints' | 'parent' | 'tasks'>;
  /** `ABC-1`; null if the file has none. */
  key: string | null;
  id: string | null;
  /** Null if its type is unknown: it is an epic then if a story names it as its parent. */
  kind: 'epic' | 'story' | 'subtask' | null;
  /** Keys or ids of its story or epic, best first. */
  parents: string[];
  /** The title of its epic, if the issue contains it. */
  epicTitle: string | null;
  /** The short name of an epic. */
  epicName: string | null;
  sprints: SourceSprint[];
  /** Its position on the board, as a string to sort by; null if the file has none. */
  rank: string | null;
}

/** Converts issues to stories, and epics to labels. @throws InvalidFile if there are too many sprints */
export async function jiraSource(
  issues: readonly JiraIssue[],
  warnings: Warnings,
): Promise<SourceFile> {
  const known = new Map<string, JiraIssue>();
  for await (const issue of withPauses(issues)) {
    for (const name of [issue.id, issue.key]) if (name !== null) known.set(name, issue);
  }
  const parentOf = ({ parents }: JiraIssue): JiraIssue | undefined => {
    const found = parents.find((name) => known.has(name));
    return found === undefined ? undefined : known.get(found);
  };
  const parentsOfStories = new Set<JiraIssue | undefined>();
  for await (const issue of withPauses(issues)) {
    if (issue.kind === 'story') parentsOfStories.add(parentOf(issue));
  }
  const isEpic = (issue: JiraIssue): boolean =>
    issue.kind === 'epic' || (issue.kind === null && parentsOfStories.has(issue));

  const sprints = new Map<string, SourceSprint>();
  const skipped: SkippedRow[] = [];
  const stories: RankedStory[] = [];
  for await (const issue of withPauses(issues)) {
    if (isEpic(issue)) {
      const { key, story } = issue;
      const detail = `${key ?? 'the row'} is an epic; its stories have the label "${nameOf(issue)}"`;
      skipped.push({ line: story.line, code: 'epic', detail: detail.slice(0, 200) });
      continue;
    }
    for (const sprint of issue.sprints) {
      // A page that was saved earlier may have the sprint before it was closed.
      if (!sprints.has(sprint.key) || sprint.closed) sprints.set(sprint.key, sprint);
    }
    requireFewSprints(sprints.size);
    const parent = parentOf(issue);
    // Prefers the key, because tables name the parent by its id, too.
    const otherParent = issue.parents.find((name) => /-\d+$/.test(name)) ?? issue.parents[0];
    const { key, id, story, rank } = issue;
    const isOfEpic = parent !== undefined && isEpic(parent);
    const isSubtask = issue.kind === 'subtask' && !isOfEpic;
    let epic: string | null = null;
    if (isOfEpic) epic = nameOf(parent);
    else if (!isSubtask && parent) {
      warnings.add(
        'parent_ignored',
        `${key ?? story.title}: ${parent.key ?? parent.story.title} is its parent, but it is not a sub-task`,
      );
    } else if (!isSubtask) {
      epic = issue.epicTitle ?? otherParent ?? null;
      if (epic !== null && epic === otherParent) {
        warnings.add('epic_missing', `${epic} is not in the file, so its key becomes the label`);
      }
    }
    const converted: SourceStory = {
      ...story,
      external_id: idOf(key ?? id),
      epic,
      sprints: issue.sprints.map((sprint) => sprint.key),
      parent: isSubtask ? (idOf(parent?.key ?? otherParent ?? null) ?? 'its story') : null,
      tasks: [],
    };
    stories.push({ rank, story: converted });
  }
  return { sprints: [...sprints.values()], stories: await inOrder(stories), skipped, warnings };
}

const idOf = (name: string | null): string | null => (name === null ? null : `jira:${name}`);

/** The label that an epic becomes. */
const nameOf = ({ epicName, story }: JiraIssue): string => epicName ?? story.title;

interface RankedStory extends Pick<JiraIssue, 'rank'> {
  story: SourceStory;
}

/** Sorts stories by rank; those without a rank come last, in the order of the file. */
async function inOrder(stories: readonly RankedStory[]): Promise<SourceStory[]> {
  const byRank = await sorted(stories, ({ rank: a }, { rank: b }) => {
    if (a === b) return 0;
    if (a === null || b === null) return a === null ? 1 : -1;
    return a < b ? -1 : 1;
  });
  return byRank.map(({ story }) => story);
}

const SPRINT_TEXT = /^com\.atlassian\.greenhopper\.service\.sprint\.Sprint@[0-9a-f]+\[(.*)\]$/s;
const NEXT_FIELD =
  /,(?=(?:id|rapidViewId|state|name|goal|startDate|endDate|completeDate|activatedDate|sequence|synced|autoStartStop|incompleteIssuesDestinationId)=)/;

/** The most fields of a sprint that are read; Jira writes about twelve. */
const MAX_PARTS = 100;

/** Parses a sprint as old versions of Jira write it, `…Sprint@1a2b[id=7,state=CLOSED,name=…]`, or its name. */
export function sprintOf(text: string): SourceSprint {
  const list = SPRINT_TEXT.exec(text.trim())?.[1];
  if (list === undefined) return sprintWith({ name: text.trim() });
  const fields = list.split(NEXT_FIELD, MAX_PARTS).map((part): [string, string | null] => {
    const [field = '', ...value] = part.split('=');
    const joined = value.join('=');
    return [field, joined === '<null>' || joined === '' ? null : joined];
  });
  return sprintWith(Object.fromEntries(fields));
}

/** Converts the fields of a Jira sprint. */
export function sprintWith(fields: Record<string, unknown>): SourceSprint {
  const text = (name: string): string | null => textOf(fields[name]);
  const id = typeof fields.id === 'number' ? String(fields.id) : text('id');
  const name = text('name');
  return {
    key: id === null ? `${name}` : `id:${id}`,
    external_id: id === null ? null : `jira:sprint:${id}`,
    name,
    goal: text('goal'),
    start: text('startDate'),
    end: text('endDate'),
    closed: text('state')?.toLowerCase() === 'closed',
    completed: text('completeDate'),
  };
}
