import { requireFields } from '../files/columns';
import { InvalidFile, invalidEntry } from '../files/invalid-file';
import { fieldsOf, listOf, readJson, textOf } from '../files/json';
import { sorted } from '../files/sorted';
import { MAX_LABELS_READ, Warnings, type SourceReader, type SourceStory } from '../files/source';
import type { SkippedRow } from '../import/import.dto';

interface Issue {
  number: number;
  /** `owner/name`; null if the file does not contain it. */
  repository: string | null;
  story: SourceStory;
}

/**
 * Issues as GitHub's REST API returns them (a list, a search, pages of them, one page after the other,
 * an issue a line), and as `gh issue list --json` writes them. Pull requests are skipped, and milestones
 * are labels.
 */
export const github: SourceReader = async (file, mapping) => {
  requireFields(mapping);
  const issues: Issue[] = [];
  const pullRequests = new Set<string>();
  const skipped: SkippedRow[] = [];
  const warnings = new Warnings('entry');
  const present = new Set<string>();
  let entries = 0;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const entry of value) visit(entry);
      return;
    }
    const fields = fieldsOf(value);
    if (Array.isArray(fields.items)) {
      visit(fields.items);
      return;
    }
    entries += 1;
    const { number } = fields;
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || !('title' in fields)) {
      const detail = 'it does not have the number and the title of a GitHub issue';
      throw invalidEntry(entries, 'required', detail);
    }
    const repository = repositoryOf(fields);
    if (isPullRequest(fields)) {
      const id = `${repository ?? ''}#${number}`;
      skipped.push(
        pullRequests.has(id)
          ? { line: entries, code: 'duplicate', detail: `#${number} is in the file already` }
          : { line: entries, code: 'pull_request', detail: `#${number} is a pull request` },
      );
      pullRequests.add(id);
    } else {
      for (const name of Object.keys(fields)) present.add(name);
      const external_id = idOf(number, repository);
      const story = { ...storyOf(fields, entries, warnings), external_id };
      issues.push({ number, repository, story });
    }
  };
  await readJson(file, { '$.*': visit, $: visit }, { several: true });
  if (entries === 0) throw new InvalidFile('The file has no issues.');
  const stories = (await inOrder(issues)).map(({ story }) => story);
  // gh writes only the requested fields.
  const lacks = {
    description: !present.has('body'),
    priority: true,
    points: stories.every(({ points }) => points === null),
    assignee: !present.has('assignees') && !present.has('assignee'),
    labels: !present.has('labels') && !present.has('milestone'),
    sprints: true,
    tasks: true,
  };
  return { sprints: [], stories, skipped, warnings, lacks };
};

function isPullRequest(fields: Record<string, unknown>): boolean {
  const { pull_request: rest, isPullRequest: found, html_url, url } = fields;
  return Boolean(rest) || found === true || /\/pull\/\d+$/.test(textOf(html_url ?? url) ?? '');
}

function storyOf(
  fields: Record<string, unknown>,
  line: number,
  warnings: Warnings,
): Omit<SourceStory, 'external_id'> {
  const labels = listOf(fields.labels)
    .slice(0, MAX_LABELS_READ)
    .flatMap((label) => textOf(label) ?? textOf(fieldsOf(label).name) ?? []);
  const assignees = [...listOf(fields.assignees), fields.assignee].flatMap(
    (user) => textOf(fieldsOf(user).login) ?? [],
  );
  const [assignee = null, ...others] = new Set(assignees);
  if (others.length > 0) warnings.at('other_assignees', line, others.join(', '));
  const closedAt = textOf(fields.closed_at ?? fields.closedAt);
  const state =
    textOf(fields.state)?.toLowerCase() ??
    (fields.closed === true || closedAt !== null ? 'closed' : null);
  const reason = textOf(fields.state_reason ?? fields.stateReason)?.toLowerCase();
  return {
    line,
    title: textOf(fields.title) ?? '',
    description: textOf(fields.body),
    status:
      state === 'closed'
        ? // A separate name, so that a mapping can treat `not_planned` differently.
          { name: reason === 'not_planned' ? 'not_planned' : 'closed', category: 'done' }
        : state === null
          ? null
          : { name: 'open', category: 'todo' },
    priority: null,
    points: pointsOf(labels),
    assignee,
    labels,
    // A GitHub milestone has no first day, so it becomes a label and not a sprint.
    epic: textOf(fieldsOf(fields.milestone).title),
    sprints: [],
    done: closedAt,
    archived: false,
    parent: null,
    tasks: [],
  };
}

const POINTS_LABELS = [
  /^(?:story[ _-]?points?|points?|pts?|sp|estimate|size)\s*[:=/-]\s*(\d+(?:\.\d+)?)$/i,
  /^(\d+(?:\.\d+)?)[ _-]?(?:story[ _-]?points?|points?|pts?|sp)$/i,
];

/** The points that a label such as `points: 3`, `size/3` or `3 points` states; null if two labels differ. */
function pointsOf(labels: readonly string[]): number | null {
  const found = labels.flatMap((label) =>
    POINTS_LABELS.flatMap((pattern) => Number(pattern.exec(label)?.[1] ?? NaN)),
  );
  const [points, ...others] = new Set(found.filter((number) => !Number.isNaN(number)));
  return points !== undefined && others.length === 0 ? points : null;
}

/** Returns `owner/name` from any of the fields that contain it. */
function repositoryOf(fields: Record<string, unknown>): string | null {
  const repository = fieldsOf(fields.repository);
  const name = textOf(repository.nameWithOwner) ?? textOf(repository.full_name);
  if (name) return name;
  const url = textOf(fields.repository_url) ?? textOf(fields.html_url) ?? textOf(fields.url) ?? '';
  return (
    /\/repos\/([^/]+\/[^/]+)(?:\/|$)/.exec(url)?.[1] ??
    /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/issues\//.exec(url)?.[1] ??
    null
  );
}

/** The `external_id`. It has the repository, if known, because a board may have issues of several repositories. */
function idOf(number: number, repository: string | null): string {
  // The end of a long id is the part that differs.
  return `github:${`${repository ? `${repository}#` : ''}${number}`.slice(-93)}`;
}

/**
 * Sorts issues by repository, then from the oldest to the newest. GitHub issues have no order, and the order of
 * the file changes from one export to the next.
 */
function inOrder(issues: readonly Issue[]): Promise<Issue[]> {
  const [only, ...others] = new Set(issues.flatMap(({ repository }) => repository ?? []));
  const rank = ({ repository }: Issue): string =>
    repository ?? (others.length === 0 ? only : undefined) ?? '';
  return sorted(issues, (a, b) =>
    rank(a) === rank(b) ? a.number - b.number : rank(a) < rank(b) ? -1 : 1,
  );
}
