import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../api/client';
import { isTemporary } from '../../api/problem';
import type { Report } from '../../api/types';
import { Button, SelectField, Skeleton } from '../../components/controls';
import { Dialog, useFirstFocus } from '../../components/dialog';
import { SprintOptions } from '../../components/sprint-options';
import { Table } from '../../components/table';
import { pathOf } from '../../router';
import { announce } from '../../state/announce';
import { closeDialog, openDialog } from '../../state/dialogs';
import type { BoardState } from '../../state/model';
import { sprintInText, sprintsOf, storiesOf } from '../../state/model';
import { isExpired } from '../../state/session';
import { formatNumber, plural } from '../../util/format';
import { delayAfter } from '../../util/retry';
import { useKeys, useSubmit } from '../../util/submit';
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

/** The dialog that shows what completing a sprint will do, does it, and shows the report. */
export function CompleteSprint({ store, state, id, to }: SprintDialogProps & { to?: number }) {
  const { sprint, etag, error, read } = useSprint(id);
  const { next, others } = targetsOf(state, id);
  const chosen = useSignal<string | null>(to === undefined ? null : String(to));
  const position = useSignal<'first' | 'last'>('first');
  const preview = useSignal<Report | null>(null);
  const done = useSignal<Report | null>(null);
  /** The reason why the chosen target is not possible. */
  const obstacle = useSignal('');
  const key = useKeys();
  const { isBusy, error: problem, submit } = useSubmit(wordsOf, read);
  const target = chosen.value ?? (next ? String(next.id) : BACKLOG);
  const body = {
    unfinished: target === BACKLOG ? (BACKLOG as 'backlog') : Number(target),
    position: position.value,
  };
  const params = { path: { sprint_id: id } };

  const revision = store.confirmed.revision.value;
  useEffect(() => {
    // The preview is requested again after the user has signed in.
    if (done.value || isBusy.value || isExpired.value) return;
    let isOld = false;
    const ask = async (attempt = 0): Promise<void> => {
      try {
        await saved(store);
        const { data } = await api.POST('/api/sprints/{sprint_id}/complete', {
          params,
          body: { ...body, dry_run: true },
        });
        if (isOld) return;
        preview.value = data as Report;
        obstacle.value = '';
      } catch (failure) {
        if (isOld) return;
        obstacle.value = wordsOf(failure);
        if (!isTemporary(failure)) return;
        timer = setTimeout(() => void ask(attempt + 1), delayAfter(failure, attempt));
      }
    };
    let timer = setTimeout(() => void ask(), preview.value ? SETTLE_MS : 0);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [id, target, position.value, revision, isBusy.value, isExpired.value]);

  const known = sprint.value ?? state.sprints.get(id);
  const name = known ? sprintInText(known) : 'sprint';
  const complete = async (): Promise<void> => {
    await saved(store);
    const { data } = await api.POST('/api/sprints/{sprint_id}/complete', {
      params: { ...params, header: { 'If-Match': etag.value, 'Idempotency-Key': key(body) } },
      body,
    });
    done.value = data as Report;
    reportDone(store, `Completed ${name}`, announce);
    await store.rows.loadSprints();
  };

  const report = preview.value;
  const isReady = report !== null && !isBusy.value && etag.value !== '' && obstacle.value === '';
  const confirm = useRef<HTMLButtonElement>(null);
  useFirstFocus(confirm, isReady);
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), [done.value]);
  if (done.value) {
    return (
      <Dialog title={`${name} is completed`} onClose={closeDialog}>
        <ReportNumbers report={done.value} state={state} />
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
  const places = new Map(storiesOf(state, id).map((story, i) => [story.id, i]));
  const placeOf = (story: { id: number }): number => places.get(story.id) ?? places.size;
  const alert = obstacle.value || problem.value || error;
  return (
    <Dialog title={`Complete ${name}`} onClose={closeDialog}>
      {!report && !alert && <Skeleton lines={4} />}
      {report && (
        <div class="question">
          {report.completed.count === 0 ? (
            <p>No stories are done.</p>
          ) : (
            <p>
              <strong>{plural(report.completed.count, 'story', 'stories')}</strong>{' '}
              {report.completed.count === 1 ? 'is' : 'are'} done (
              {plural(report.completed.points, 'point')}) and{' '}
              {report.completed.count === 1 ? 'stays' : 'stay'} in the sprint.
            </p>
          )}
          {report.unfinished.count === 0 ? (
            <p>No stories are unfinished.</p>
          ) : (
            <>
              <p>
                <strong>{plural(report.unfinished.count, 'story', 'stories')}</strong>{' '}
                {report.unfinished.count === 1 ? 'is' : 'are'} not done (
                {plural(report.unfinished.points, 'point')}):
              </p>
              <ul class="unfinished" aria-label="Unfinished stories" tabIndex={0}>
                {report.unfinished.stories
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
                  label={report.unfinished.count === 1 ? 'Move it to' : 'Move them to'}
                  hint={next ? undefined : 'There is no next sprint.'}
                  value={target}
                  onPick={(picked) => (chosen.value = picked)}
                >
                  {next && (
                    <option value={String(next.id)}>{sprintInText(next)} (next sprint)</option>
                  )}
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
                <Button
                  onClick={() => openDialog({ kind: 'sprint', action: 'new', completing: id })}
                >
                  New sprint
                </Button>
              )}
            </>
          )}
          <p class="note">
            Completing the sprint fixes its report. You can reopen the sprint later.
          </p>
        </div>
      )}
      {alert && (
        <p role="alert" class="dialog-note">
          {alert}
        </p>
      )}
      <footer class="dialog-foot">
        <span class="spring" />
        <Button onClick={closeDialog}>Cancel</Button>
        <Button
          kind="primary"
          ref={confirm}
          aria-disabled={!isReady}
          onClick={isReady ? () => submit(complete) : undefined}
        >
          Complete sprint
        </Button>
      </footer>
    </Dialog>
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
