import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../api/client';
import type { Batch, Board, Sprint, Velocity } from '../../api/types';
import { Button, Skeleton } from '../../components/controls';
import { Dialog, useFirstFocus } from '../../components/dialog';
import type { BoardStore } from '../../state/board/board-store';
import { closeDialog } from '../../state/dialogs';
import { currentSprint, sprintInText, sprintName, storiesOf, sumOfPoints } from '../../state/model';
import { UNREACHABLE, useAnswer } from '../../util/answer';
import { todayIn, workingDays } from '../../util/calendar';
import { formatDate, formatNumber, plural } from '../../util/format';
import { useIsShown, useKeys, useSubmit } from '../../util/submit';
import type { SprintDialogProps } from './request';
import { reportDone, saved, useSprint, wordsOf } from './request';
import { LoadBar, loadOf, useVelocity } from './velocity';

interface QuestionProps {
  /** The label of the button that confirms. */
  answer: string;
  isDanger?: boolean;
  problem: string;
  /** Whether the user can confirm. */
  isReady: boolean;
  onAnswer: () => void;
  children: ComponentChildren;
}

/** The content of a dialog that asks before a sprint is changed. */
export function Question(props: QuestionProps) {
  const { answer, isDanger, problem, isReady, onAnswer, children } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  const confirm = useRef<HTMLButtonElement>(null);
  useFirstFocus(isDanger ? cancel : confirm, isDanger === true || isReady);
  return (
    <>
      <div class="question">{children}</div>
      {problem && (
        <p role="alert" class="dialog-note">
          {problem}
        </p>
      )}
      <footer class="dialog-foot">
        <span class="spring" />
        <Button ref={cancel} onClick={closeDialog}>
          Cancel
        </Button>
        <Button
          kind={isDanger ? 'danger' : 'primary'}
          ref={confirm}
          aria-disabled={!isReady}
          onClick={isReady ? onAnswer : undefined}
        >
          {answer}
        </Button>
      </footer>
    </>
  );
}

function QuestionDialog({ title, ...question }: QuestionProps & { title: string }) {
  return (
    <Dialog title={title} onClose={closeDialog}>
      <Question {...question} />
    </Dialog>
  );
}

/** The state of a question about a sprint: the sprint, its tag and the last error. */
function useQuestion(id: number) {
  const { sprint, etag, error, read } = useSprint(id);
  const { isBusy, error: problem, submit } = useSubmit(wordsOf, read);
  const key = useKeys();
  const isShown = useIsShown();
  const header = (body: unknown = {}) => ({
    'If-Match': etag.value,
    'Idempotency-Key': key(body),
  });
  const isReady = sprint.value !== null && !isBusy.value;
  return {
    sprint: sprint.value,
    etag,
    header,
    key,
    submit,
    close: () => {
      if (isShown()) closeDialog();
    },
    isReady,
    problem: problem.value || error,
  };
}

/** Asks before a sprint starts, and shows what it will commit to. */
export function StartSprint({ store, state, id }: SprintDialogProps) {
  const question = useQuestion(id);
  const velocity = useVelocity(store);
  useEffect(() => {
    void store.lists.load(id).catch(() => undefined);
  }, [store, id]);
  const today = todayIn(state.board.time_zone);
  const known = question.sprint ?? state.sprints.get(id);
  if (!known) return null;
  const isLoaded = store.lists.loaded.value.has(id);
  const start = async (): Promise<void> => {
    await saved(store);
    if (known.start_date > today) await startOn(today, store, id, question);
    else {
      await api.POST('/api/sprints/{sprint_id}/start', {
        params: { path: { sprint_id: id }, header: question.header() },
      });
    }
    await store.rows.loadSprints();
    reportDone(store, `Started ${sprintInText(known)}`);
    question.close();
  };
  return (
    <QuestionDialog
      title={`Start ${sprintInText(known)}`}
      answer="Start sprint"
      isReady={question.isReady && isLoaded}
      problem={question.problem}
      onAnswer={() => question.submit(start)}
    >
      {isLoaded ? <Commitment state={state} id={id} velocity={velocity} /> : <Skeleton lines={2} />}
      <StartNotes board={state.board} sprint={known} today={today} />
    </QuestionDialog>
  );
}

/** Moves the start date of a sprint and starts it, in one transaction. */
async function startOn(
  date: string,
  store: BoardStore,
  id: number,
  { etag, key }: ReturnType<typeof useQuestion>,
): Promise<void> {
  const operations: Batch['operations'] = [
    { op: 'update', type: 'sprint', id, if_match: etag.value, set: { start_date: date } },
    { op: 'start', type: 'sprint', id },
  ];
  await api.POST('/api/boards/{board_name}/batch', {
    params: { path: { board_name: store.name }, header: { 'Idempotency-Key': key(operations) } },
    body: { operations },
  });
}

interface CommitmentProps extends Omit<SprintDialogProps, 'store'> {
  velocity: Velocity | null;
}

/** What a sprint will commit to, compared with the velocity. */
function Commitment({ state, id, velocity }: CommitmentProps) {
  const stories = storiesOf(state, id);
  const points = sumOfPoints(stories);
  const load = loadOf(stories, velocity);
  const unestimated = stories.filter(({ points }) => points === null).length;
  const running = currentSprint(state);
  return (
    <>
      <p>
        The sprint commits to the stories that are in it now:{' '}
        <strong>
          {plural(stories.length, 'story', 'stories')}, {plural(points, 'point')}
        </strong>
        . Stories that are added later count as added.
      </p>
      {running && running.id !== id && (
        <p>
          {sprintName(running)} is not completed. If you complete it first, its unfinished stories
          can be moved here.
        </p>
      )}
      {load.average !== undefined && velocity && (
        <div class="against-average">
          <LoadBar load={load} />
          <span>{load.text}</span>
          <span class="note">
            (average of the last{' '}
            {velocity.sprints.length === 1 ? 'sprint' : plural(velocity.sprints.length, 'sprint')})
          </span>
        </div>
      )}
      {unestimated > 0 && points > 0 && (
        <p class="note">
          {plural(unestimated, 'story has', 'stories have')} no points and{' '}
          {unestimated === 1 ? 'counts' : 'count'} 0.
        </p>
      )}
    </>
  );
}

/** What starting a sprint today changes, and when the sprint ends. */
function StartNotes({ board, sprint, today }: { board: Board; sprint: Sprint; today: string }) {
  const { start_date, end_date } = sprint;
  const isEarly = start_date > today;
  const days = end_date ? workingDays(board, today, end_date) : 0;
  const planned = end_date ? workingDays(board, start_date, end_date) : 0;
  return (
    <>
      {sprint.started_at && (
        <p class="note">
          The sprint was started before. Starting it again replaces its commitment.
        </p>
      )}
      {isEarly && (
        <p class="note">
          The sprint is planned to start on {formatDate(start_date)}. Starting it now moves its
          start date to today.
        </p>
      )}
      {end_date ? (
        <p class="note">
          The sprint ends on {formatDate(end_date)}
          {isEarly &&
            days !== planned &&
            `, so it has ${plural(days, 'working day')} instead of ${planned}`}
          .
        </p>
      ) : (
        <p class="note">The sprint has no end date.</p>
      )}
    </>
  );
}

/** Asks before a completed sprint is opened again. */
export function ReopenSprint({ store, state, id }: SprintDialogProps) {
  const { sprint, header, submit, close, isReady, problem } = useQuestion(id);
  const known = sprint ?? state.sprints.get(id);
  const reopen = async (): Promise<void> => {
    await api.POST('/api/sprints/{sprint_id}/reopen', {
      params: { path: { sprint_id: id }, header: header() },
    });
    await store.rows.loadSprints();
    reportDone(store, `Reopened ${known ? sprintInText(known) : 'the sprint'}`);
    close();
  };
  return (
    <QuestionDialog
      title={`Reopen ${known ? sprintInText(known) : 'sprint'}`}
      answer="Reopen sprint"
      isReady={isReady}
      problem={problem}
      onAnswer={() => submit(reopen)}
    >
      <p>
        The report of the sprint is no longer fixed, and its stories can be moved again. Stories
        that were carried over stay where they are.
      </p>
    </QuestionDialog>
  );
}

/** Asks before a sprint is deleted. */
export function DeleteSprint({ store, state, id }: SprintDialogProps) {
  const { sprint, etag, submit, close, isReady, problem } = useQuestion(id);
  const { data: count, isUnreachable } = useAnswer(async () => {
    const params = { path: { sprint_id: id }, query: { limit: 1, count: true, fields: 'id' } };
    const { response } = await api.GET('/api/sprints/{sprint_id}/stories', { params });
    return Number(response.headers.get('X-Total-Count'));
  }, [id, store.confirmed.revision.value]);
  const known: Sprint | undefined = sprint ?? state.sprints.get(id);
  const isCompleted = known?.state === 'completed';
  const remove = async (): Promise<void> => {
    await saved(store);
    await api.DELETE('/api/sprints/{sprint_id}', {
      params: {
        path: { sprint_id: id },
        query: isCompleted ? { force: true } : {},
        header: { 'If-Match': etag.value },
      },
    });
    await store.rows.loadSprints();
    reportDone(store, `Deleted ${known ? sprintInText(known) : 'the sprint'}`);
    close();
  };
  return (
    <QuestionDialog
      title={`Delete ${known ? sprintInText(known) : 'sprint'}`}
      answer="Delete sprint"
      isDanger
      isReady={isReady && count !== null}
      problem={problem || (count === null && isUnreachable ? UNREACHABLE : '')}
      onAnswer={() => submit(remove)}
    >
      {count === 0 && <p>The sprint has no stories. This cannot be undone.</p>}
      {count !== null && count > 0 && (
        <p>
          {count === 1 ? 'Its story moves' : `Its ${formatNumber(count)} stories move`} to the end
          of the backlog. This cannot be undone.
        </p>
      )}
      {isCompleted && <p>Its report is deleted, too, and no longer counts for the velocity.</p>}
    </QuestionDialog>
  );
}
