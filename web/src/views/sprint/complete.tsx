import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../api/client';
import type { Report } from '../../api/types';
import { Button, SelectField, Skeleton } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { SprintOptions } from '../../components/sprint-options';
import { Table } from '../../components/table';
import { pathOf } from '../../router';
import { announce } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import { closeDialog, openDialog } from '../../state/dialogs';
import type { BoardState } from '../../state/model';
import { sprintInText, sprintsOf, storiesOf } from '../../state/model';
import { formatNumber, plural } from '../../util/format';
import { RepeatedRequests } from '../../util/repeated-requests';
import { useKeys, useSubmit } from '../../util/submit';
import { Question } from './questions';
import type { SprintDialogProps } from './request';
import { reportDone, saved, useSprint, wordsOf } from './request';

const SETTLE_MS = 300;
const BACKLOG = 'backlog';

/** The sprints that unfinished stories can move to: all that are not completed, starting with the next sprint. */
function targetsOf(state: BoardState, id: number) {
  const sprints = sprintsOf(state);
  const at = sprints.findIndex((sprint) => sprint.id === id);
  const isOpen = (sprint: (typeof sprints)[number]): boolean =>
    sprint.state !== 'completed' && sprint.id !== id;
  const later = sprints.slice(at + 1).filter(isOpen);
  const [next] = later;
  return { next, others: [...later.slice(1), ...sprints.slice(0, at).filter(isOpen)] };
}

/** Where the unfinished stories go, as a request says it. */
interface Target {
  unfinished: number | typeof BACKLOG;
  position: 'first' | 'last';
}

/** The choice of the user where the unfinished stories go: by default to the next sprint. */
function useTarget(state: BoardState, id: number, to?: number) {
  const { next, others } = targetsOf(state, id);
  const chosen = useSignal<string | null>(to === undefined ? null : String(to));
  const position = useSignal<Target['position']>('first');
  const list = chosen.value ?? (next ? String(next.id) : BACKLOG);
  const target: Target = {
    unfinished: list === BACKLOG ? BACKLOG : Number(list),
    position: position.value,
  };
  return { next, others, chosen, list, position, target };
}

/** The report that the sprint would get, and why it cannot be completed; requested again after each change. */
function usePreview(store: BoardStore, id: number, target: Target, isPaused: boolean) {
  const report = useSignal<Report | null>(null);
  const obstacle = useSignal('');
  const revision = store.confirmed.revision.value;
  useEffect(() => {
    if (isPaused) return;
    const requests = new RepeatedRequests();
    const ask = async (): Promise<Report> => {
      await saved(store);
      const { data } = await api.POST('/api/sprints/{sprint_id}/complete', {
        params: { path: { sprint_id: id } },
        body: { ...target, dry_run: true },
      });
      return data as Report;
    };
    const show = (answer: Report): void => {
      report.value = answer;
      obstacle.value = '';
    };
    const fail = (failure: unknown): void => void (obstacle.value = wordsOf(failure));
    const timer = setTimeout(
      () => void requests.untilAnswered(ask, fail).then(show, fail),
      report.value ? SETTLE_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      requests.stop();
    };
  }, [id, target.unfinished, target.position, revision, isPaused]);
  return { report: report.value, obstacle: obstacle.value };
}

/** The requests of the dialog: the sprint, the preview, and the completion with the final report. */
function useCompletion({ store, state, id }: SprintDialogProps, target: Target) {
  const { sprint, etag, error, read } = useSprint(id);
  const done = useSignal<Report | null>(null);
  const key = useKeys();
  const { isBusy, error: problem, submit } = useSubmit(wordsOf, read);
  const isPaused = done.value !== null || isBusy.value;
  const { report, obstacle } = usePreview(store, id, target, isPaused);
  const known = sprint.value ?? state.sprints.get(id);
  const name = known ? sprintInText(known) : 'sprint';
  const complete = async (): Promise<void> => {
    await saved(store);
    const { data } = await api.POST('/api/sprints/{sprint_id}/complete', {
      params: {
        path: { sprint_id: id },
        header: { 'If-Match': etag.value, 'Idempotency-Key': key(target) },
      },
      body: target,
    });
    done.value = data as Report;
    reportDone(store, `Completed ${name}`, announce);
    await store.rows.loadSprints();
  };
  return {
    name,
    report,
    done: done.value,
    isReady: report !== null && !isBusy.value && etag.value !== '' && obstacle === '',
    problem: obstacle || problem.value || error,
    complete: () => submit(complete),
  };
}

/** The dialog that shows what completing a sprint will do, does it, and shows the report. */
export function CompleteSprint({ to, ...props }: SprintDialogProps & { to?: number }) {
  const { store, state, id } = props;
  const choice = useTarget(state, id, to);
  const { name, report, done, isReady, problem, complete } = useCompletion(props, choice.target);
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), [done]);
  if (done) {
    return (
      <Dialog title={`${name} is completed`} onClose={closeDialog}>
        <ReportNumbers report={done} state={state} />
        <footer class="dialog-foot">
          <a
            class="button"
            href={`${pathOf(store.name, 'reports')}?sprint=${id}`}
            onClick={closeDialog}
          >
            Reports
          </a>
          <span class="spring" />
          <Button kind="primary" ref={close} onClick={closeDialog}>
            Close
          </Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title={`Complete ${name}`} onClose={closeDialog}>
      <Question answer="Complete sprint" isReady={isReady} problem={problem} onAnswer={complete}>
        {!report && !problem && <Skeleton lines={4} />}
        {report && (
          <>
            <CompletedStories completed={report.completed} />
            <UnfinishedStories
              unfinished={report.unfinished}
              state={state}
              id={id}
              choice={choice}
            />
            <p class="note">
              Completing the sprint fixes its report. You can reopen the sprint later.
            </p>
          </>
        )}
      </Question>
    </Dialog>
  );
}

function CompletedStories({ completed: { count, points } }: Pick<Report, 'completed'>) {
  if (count === 0) return <p>No stories are done.</p>;
  return (
    <p>
      <strong>{plural(count, 'story', 'stories')}</strong> {count === 1 ? 'is' : 'are'} done (
      {plural(points, 'point')}) and {count === 1 ? 'stays' : 'stay'} in the sprint.
    </p>
  );
}

interface UnfinishedStoriesProps extends Pick<Report, 'unfinished'> {
  state: BoardState;
  id: number;
  choice: ReturnType<typeof useTarget>;
}

/** The unfinished stories in the order of the sprint, and the fields for the list to which they move. */
function UnfinishedStories({ unfinished, state, id, choice }: UnfinishedStoriesProps) {
  const { count, points, stories } = unfinished;
  const { next, others, chosen, list, position } = choice;
  if (count === 0) return <p>No stories are unfinished.</p>;
  const places = new Map(storiesOf(state, id).map((story, i) => [story.id, i]));
  const placeOf = (story: { id: number }): number => places.get(story.id) ?? places.size;
  return (
    <>
      <p>
        <strong>{plural(count, 'story', 'stories')}</strong> {count === 1 ? 'is' : 'are'} not done (
        {plural(points, 'point')}):
      </p>
      <ul class="unfinished" aria-label="Unfinished stories" tabIndex={0}>
        {stories
          .toSorted((a, b) => placeOf(a) - placeOf(b))
          .map(({ id, title, points }) => (
            <li key={id}>
              <span>{title}</span>
              {points !== null && <span class="points">{formatNumber(points)}</span>}
            </li>
          ))}
      </ul>
      <div class="field-row wide">
        <SelectField
          label={count === 1 ? 'Move it to' : 'Move them to'}
          hint={next ? undefined : 'There is no next sprint.'}
          value={list}
          onPick={(picked) => (chosen.value = picked)}
        >
          {next && <option value={String(next.id)}>{sprintInText(next)} (next sprint)</option>}
          <option value={BACKLOG}>Backlog</option>
          <SprintOptions sprints={others} />
        </SelectField>
        <SelectField
          label="Place"
          value={position.value}
          onPick={(picked) => (position.value = picked)}
        >
          <option value="first">First in the list</option>
          <option value="last">Last in the list</option>
        </SelectField>
      </div>
      {!next && (
        <Button onClick={() => openDialog({ kind: 'sprint', action: 'new', completing: id })}>
          New sprint
        </Button>
      )}
    </>
  );
}

/** The numbers of the report of a completed sprint. */
function ReportNumbers({ report, state }: { report: Report; state: BoardState }) {
  const { committed, added, removed, re_estimated: changed, completed, unfinished } = report;
  const to = unfinished.stories[0]?.carried_to;
  const target = to ? state.sprints.get(to) : undefined;
  const rows = [
    ['Committed', committed],
    ['Added', added],
    ['Re-estimated', changed],
    ['Removed', removed],
    ['Completed', completed],
    ['Unfinished', unfinished],
  ] as const;
  return (
    <div class="question">
      <Table
        name="Numbers of the report"
        head={['Report', 'Stories', 'Points']}
        rows={rows.map(([name, { count, points }]) => ({
          key: name,
          cells: [name, formatNumber(count), formatNumber(points)],
        }))}
      />
      {unfinished.count > 0 && (
        <p>
          {plural(unfinished.count, 'unfinished story', 'unfinished stories')} moved to{' '}
          {target ? sprintInText(target) : 'the backlog'}.
        </p>
      )}
    </div>
  );
}
