import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../api/client';
import type { Report, Sprint } from '../../api/types';
import { BurndownTable } from '../../components/burndown-table';
import { Button } from '../../components/controls';
import { Downloads, Figure } from '../../components/figure';
import { NoAnswer } from '../../components/no-answer';
import { storyUrl } from '../../router';
import type { BoardState } from '../../state/model';
import { listName, SPRINT_STATES, sprintName } from '../../state/model';
import { useAnswer } from '../../util/answer';
import { dateIn } from '../../util/calendar';
import { formatLongDay, formatNumber, formatRange, formatTimeIn, plural } from '../../util/format';

interface SprintReportProps {
  board: string;
  sprint: Sprint;
  state: BoardState;
  input: string;
}

/** The reports of a sprint: its burndown, its burn-up, and its stories in groups. */
export function SprintReport({ board, sprint, state, input }: SprintReportProps) {
  const name = sprintName(sprint);
  const href = `/api/sprints/${sprint.id}/burndown`;
  const file = `${board} ${name}`;
  const table = (kind: 'burndown' | 'burnup') => () => (
    <BurndownTable sprint={sprint.id} input={input} kind={kind} />
  );
  return (
    <section class="sprint-report" aria-label={name}>
      <header class="report-head">
        <h2>{name}</h2>
        <span class={`state ${sprint.state}`}>{SPRINT_STATES[sprint.state]}</span>
        <span class="note">{formatRange(sprint.start_date, sprint.end_date)}</span>
      </header>
      {sprint.state === 'planned' ? (
        <p class="empty">The burndown begins on {formatLongDay(sprint.start_date)}.</p>
      ) : (
        <div class="figures">
          <Figure
            title="Burndown"
            name={`Burndown of ${name}`}
            href={href}
            file={`${file} burndown`}
            input={input}
            table={table('burndown')}
          />
          <Figure
            title="Burn-up"
            name={`Burn-up of ${name}`}
            href={`${href}?kind=burnup`}
            file={`${file} burn-up`}
            input={input}
            table={table('burnup')}
          />
        </div>
      )}
      <Groups sprint={sprint} state={state} input={input} file={`${file} report`} />
    </section>
  );
}

const GROUPS = [
  { group: 'committed', name: 'Committed', sign: '' },
  { group: 'added', name: 'Added', sign: '+' },
  { group: 're_estimated', name: 'Re-estimated', sign: '±' },
  { group: 'removed', name: 'Removed', sign: '−' },
  { group: 'completed', name: 'Completed', sign: '=' },
  { group: 'unfinished', name: 'Unfinished', sign: '+' },
] as const;

/** The stories of a sprint in the groups of its report; the signs show how the points add up. */
function Groups({
  sprint,
  state,
  input,
  file,
}: Omit<SprintReportProps, 'board'> & { file: string }) {
  const load = async () => {
    const params = { path: { sprint_id: sprint.id } };
    return (await api.GET('/api/sprints/{sprint_id}/report', { params })).data as Report;
  };
  const answer = useAnswer(load, [sprint.id, input], sprint.id);
  const { data } = answer;
  return (
    <section class="figure" aria-label="Sprint report">
      <div class="figure-head">
        <h2>Sprint report</h2>
        <span class="spring" />
        <Downloads href={`/api/sprints/${sprint.id}/report`} file={file} formats={['csv']} />
      </div>
      <NoAnswer {...answer} lines={20} />
      {data && (
        <>
          <p class="note">{commitment(data, sprint, state.board.time_zone)}</p>
          <div class="groups">
            {GROUPS.map(({ group, name, sign }) => (
              <Group
                key={`${sprint.id} ${group}`}
                name={name}
                sign={sign}
                count={data[group].count}
                points={data[group].points}
                stories={data[group].stories}
                state={state}
              />
            ))}
          </div>
        </>
      )}
    </section>
  );
}

function commitment(report: Report, { state }: Sprint, zone: string): string {
  const { as_of, committed_at, commitment_rule } = report;
  if (committed_at === null) {
    return 'Nothing is committed yet. The commitment is fixed when the sprint is started, or at the end of its first day.';
  }
  if (commitment_rule === 'imported') {
    return 'Committed: the stories in the sprint when it was completed, in the tool from which it was imported.';
  }
  if (commitment_rule === 'started') {
    return `Committed: the stories in the sprint when it was started, ${formatTimeIn(zone, committed_at)}.`;
  }
  // The day of the first story, which may be after the start date.
  const day = formatLongDay(dateIn(zone, new Date(committed_at)));
  if (committed_at !== as_of) return `Committed: the stories in the sprint at the end of ${day}.`;
  // The day has not ended, or the sprint was completed before its end.
  return state === 'completed'
    ? `Committed: the stories in the sprint when it was completed, on ${day}.`
    : `Committed: the stories in the sprint so far today, ${day}.`;
}

/** A story of any group. */
interface Reported {
  id: number;
  title: string;
  points?: number | null;
  from?: number | null;
  to?: number | null;
  carried_to?: number | null;
}

interface GroupProps {
  name: string;
  sign: string;
  count: number;
  points: number;
  stories: readonly Reported[];
  state: BoardState;
}

/** The number of stories of a group that are listed at first. */
const FIRST = 6;

function Group({ name, sign, count, points, stories, state }: GroupProps) {
  const list = useRef<HTMLUListElement>(null);
  const isWhole = useSignal(false);
  useEffect(() => {
    // The button, which had the focus, is removed.
    if (isWhole.value) list.current?.querySelectorAll('a')[FIRST]?.focus();
  }, [isWhole.value]);
  const isCut = !isWhole.value && stories.length > FIRST;
  return (
    <section class={count ? 'group' : 'group none'} aria-label={name}>
      <h3>
        {sign && (
          <span class="sign" aria-hidden="true">
            {sign}
          </span>
        )}
        {name}
      </h3>
      <p class="group-sum">
        <strong>{formatNumber(points)}</strong> {points === 1 ? 'point' : 'points'}
        <span class="note"> · {plural(count, 'story', 'stories')}</span>
      </p>
      {stories.length > 0 && (
        <ul ref={list}>
          {stories.map((story, i) => (
            // All of them are printed.
            <li key={story.id} hidden={isCut && i >= FIRST}>
              <a href={storyUrl(story.id)}>{story.title}</a>
              <span class="group-points">{pointsOf(story)}</span>
              {story.carried_to !== undefined && (
                <span class="note carried">→ {listName(state, story.carried_to)}</span>
              )}
            </li>
          ))}
        </ul>
      )}
      {isCut && (
        <Button kind="quiet" onClick={() => (isWhole.value = true)}>
          Show more: {formatNumber(stories.length - FIRST)}
        </Button>
      )}
    </section>
  );
}

const shortPoints = (points: number | null | undefined): string =>
  points == null ? '–' : formatNumber(points);

function pointsOf(story: Reported): string {
  if (story.to !== undefined) return `${shortPoints(story.from)} → ${shortPoints(story.to)}`;
  return shortPoints(story.points);
}
