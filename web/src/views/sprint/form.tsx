import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { api, createOn } from '../../api/client';
import { isStale } from '../../api/problem';
import type { Sprint } from '../../api/types';
import { Button, Field, Skeleton, TextField } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { DialogForm, Form } from '../../components/dialog-form';
import { announce, announceUnsaved } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import type { SprintRequest } from '../../state/dialogs';
import { closeDialog, openDialog, openDialogOn } from '../../state/dialogs';
import { recoverFocus } from '../../state/focus';
import type { BoardState } from '../../state/model';
import { sprintInText, sprintName, sprintsOf } from '../../state/model';
import type { FieldErrors } from '../../util/failure';
import { fieldErrors } from '../../util/failure';
import { formatDate } from '../../util/format';
import { withTypedBreaks } from '../../util/line-breaks';
import { isolated } from '../../util/names';
import { useIsShown, useKeys, useSubmit } from '../../util/submit';
import { unsavedTexts } from '../../util/unsaved';
import { shown } from '../story/history';
import type { SprintDialogProps } from './request';
import { reportDone, useSprint, wordsOf } from './request';
import { movedEnd, suggestSprint } from './suggest';

const NAMES = ['name', 'goal', 'start_date', 'end_date'] as const;

/** The fields of a sprint, as they are typed. */
type Draft = Record<(typeof NAMES)[number], string>;

const LABELS: Record<keyof Draft, string> = {
  name: 'Name',
  goal: 'Goal',
  start_date: 'Start date',
  end_date: 'End date',
};

const draftOf = (sprint: Partial<Sprint>): Draft => ({
  name: sprint.name ?? '',
  goal: withTypedBreaks(sprint.goal ?? ''),
  start_date: sprint.start_date ?? '',
  end_date: sprint.end_date ?? '',
});

const fieldsOf = ({ name, goal, start_date, end_date }: Draft) => ({
  name: name.trim() || null,
  goal: goal.trim() || null,
  start_date,
  end_date: end_date || null,
});

type Errors = FieldErrors<keyof Draft>;

function errorsOf({ start_date: start, end_date: end }: Draft): Errors {
  if (!start) return { start_date: 'A sprint needs a start date.' };
  if (end && end < start) return { end_date: 'The end date is before the start date.' };
  return {};
}

const errorsFrom = (failure: unknown): Errors => fieldErrors(failure, NAMES, wordsOf);

/**
 * The sprints that are not completed and share days with a draft; none before the draft has a start. Without an end, a
 * sprint ends when the next begins.
 */
const overlapping = (state: BoardState, { start_date, end_date }: Draft, id?: number): Sprint[] =>
  sprintsOf(state).filter(
    (each) =>
      start_date !== '' &&
      each.id !== id &&
      each.state !== 'completed' &&
      each.end_date !== null &&
      each.end_date >= start_date &&
      (end_date === '' || each.start_date <= end_date),
  );

interface SprintFormProps {
  draft: Draft;
  /** The sprints that share days with the draft. */
  overlaps: readonly Sprint[];
  errors: Errors;
  /** Whether the dates are fixed. */
  isCompleted?: boolean;
  onChange: (set: Partial<Draft>) => void;
}

function SprintForm({ draft, overlaps, errors, isCompleted, onChange }: SprintFormProps) {
  return (
    <div class="story-form">
      <TextField
        label="Name"
        error={errors.name}
        autoFocus
        value={draft.name}
        onText={(text) => onChange({ name: text })}
      />
      <Field label="Goal" error={errors.goal}>
        {(props) => (
          <textarea
            {...props}
            rows={2}
            placeholder="What will be true at its end?"
            value={draft.goal}
            onInput={(event) => onChange({ goal: event.currentTarget.value })}
          />
        )}
      </Field>
      <div class="field-row">
        <TextField
          label="Start date"
          max="9999-12-31"
          error={errors.start_date}
          type="date"
          required
          readOnly={isCompleted}
          value={draft.start_date}
          onText={(text) => onChange({ start_date: text })}
        />
        <TextField
          label="End date"
          max="9999-12-31"
          error={errors.end_date}
          type="date"
          readOnly={isCompleted}
          min={draft.start_date || undefined}
          value={draft.end_date}
          onText={(text) => onChange({ end_date: text })}
        />
      </div>
      {overlaps.length > 0 && (
        <p class="field-hint">
          It overlaps {overlaps.map(sprintInText).join(', ')}. The board shows the active sprint
          that started last.
        </p>
      )}
      {isCompleted && <p class="field-hint">The dates of a completed sprint are fixed.</p>}
      {errors.form && <p role="alert">{errors.form}</p>}
    </div>
  );
}

/** The unsaved changes of a form. */
interface Unsaved {
  typed: Partial<Draft>;
  /** The entity tag of the sprint that the user changed; empty for a new one. */
  etag: string;
}

/** The unsaved changes of each form, so that closing its dialog loses nothing. */
const unsaved = unsavedTexts<string, Unsaved>();

interface DraftOptions {
  store: BoardStore;
  /** Identifies the form, so that it has its unsaved changes when it is opened again. */
  key: string;
  request: SprintRequest;
}

/** The state of a form: its changes, and whether they were checked. */
function useDraft({ store, key, request }: DraftOptions) {
  const changes = useSignal<Unsaved>(unsaved.get(key) ?? { typed: {}, etag: '' });
  const isChecked = useSignal(false);
  const title = useRef('');
  useEffect(
    () => () => {
      if (unsaved.has(key)) announceUnsaved(title.current, () => openDialogOn(store.name, request));
    },
    [],
  );
  const set = (next: Unsaved): void => {
    changes.value = next;
    unsaved.set(key, next);
  };
  const discard = (): void => void unsaved.delete(key);
  // A layout effect, because the other one runs after the next frame.
  useLayoutEffect(
    () => () => {
      // A sprint that was deleted cannot be edited again.
      if ('id' in request && store.view.peek()?.sprints.has(request.id) === false) discard();
    },
    [],
  );
  /** @param etag the entity tag of the sprint; kept from the first change on */
  const change = (original: Draft, fields: Partial<Draft>, etag = ''): void => {
    const typed = { ...changes.value.typed, ...fields };
    const isSame = NAMES.every((name) => (typed[name] ?? original[name]) === original[name]);
    const isFirst = Object.keys(changes.value.typed).length === 0;
    set(isSame ? { typed: {}, etag: '' } : { typed, etag: isFirst ? etag : changes.value.etag });
    if (isSame) discard();
  };
  const errors = (draft: Draft, ofService: Errors | undefined): Errors => ({
    ...ofService,
    ...(isChecked.value && errorsOf(draft)),
  });
  return { changes, isChecked, title, set, change, discard, errors };
}

/** The keys of new sprints that may have been created, although no response has arrived. */
const newKeys = new Map<string, string>();

interface NewSprintProps extends Omit<SprintDialogProps, 'id'> {
  completing?: number;
}

/** The dialog that creates a sprint; it suggests dates after the last sprint. */
export function NewSprint({ store, state, completing }: NewSprintProps) {
  const suggested = useSignal(draftOf(suggestSprint(state)));
  const form = useDraft({
    store,
    key: `new ${state.board.id}`,
    request: { kind: 'sprint', action: 'new', completing },
  });
  const { isChecked } = form;
  const { isBusy, error, submit } = useSubmit(errorsFrom);
  const key = useKeys(newKeys);
  const isShown = useIsShown();
  const { typed } = form.changes.value;
  // The suggested length stays until the user types an end date.
  const end_date = movedEnd(suggested.value, typed.start_date ?? suggested.value.start_date);
  const draft = { ...suggested.value, end_date, ...typed };
  form.title.current = draft.name || 'New sprint';
  const close = (to?: number): void => {
    if (completing === undefined) closeDialog();
    else openDialog({ kind: 'sprint', action: 'complete', id: completing, to });
  };
  const discard = (): void => {
    form.discard();
    newKeys.clear();
  };
  const create = async (): Promise<void> => {
    isChecked.value = true;
    if (Object.keys(errorsOf(draft)).length > 0) return;
    const body = fieldsOf(draft);
    // If the response is lost, the sprint that may exist then changes the suggestions.
    form.change(suggested.value, draft);
    await store.connection.requireOwnName();
    const operation = { type: 'sprint' as const, set: body };
    const { data: sprint } = await createOn<Sprint>(
      store.name,
      operation,
      key([state.board.id, body]),
    );
    discard();
    await store.rows.loadSprints();
    reportDone(store, `Created ${sprintInText(sprint)}`);
    if (isShown()) close(sprint.id);
  };
  return (
    <Dialog title="New sprint" onClose={() => close()}>
      <DialogForm
        action="Create"
        isBusy={isBusy.value}
        onSubmit={() => submit(create)}
        onCancel={() => {
          discard();
          close();
        }}
      >
        <SprintForm
          draft={draft}
          overlaps={overlapping(state, draft)}
          errors={form.errors(draft, error.value)}
          onChange={(fields) => form.change(suggested.value, fields)}
        />
      </DialogForm>
    </Dialog>
  );
}

const valueOf = (name: keyof Draft, value: string): string =>
  value && name.endsWith('date') ? formatDate(value) : shown(name, value);

/** The fields that differ between the saved sprint and the typed one. */
function Differences({ theirs, mine }: { theirs: Draft; mine: Draft }) {
  return (
    <ul class="theirs" aria-label="Theirs and mine">
      {NAMES.filter((name) => theirs[name] !== mine[name]).map((name) => (
        <li key={name} class="history-change">
          {LABELS[name]}: theirs <del>{valueOf(name, theirs[name])}</del>, mine{' '}
          <ins>{valueOf(name, mine[name])}</ins>
        </li>
      ))}
    </ul>
  );
}

/** The dialog in which a sprint is changed. */
export function EditSprint({ store, state, id }: SprintDialogProps) {
  const { sprint, etag, error, read } = useSprint(id);
  const form = useDraft({
    store,
    key: String(id),
    request: { kind: 'sprint', action: 'edit', id },
  });
  const { changes, isChecked } = form;
  const isConflict = useSignal(false);
  // The buttons differ, so the one that had the focus was removed.
  useEffect(recoverFocus, [isConflict.value]);
  const isShown = useIsShown();
  const {
    isBusy,
    error: errors,
    submit,
  } = useSubmit((failure) => {
    if (!isStale(failure)) return errorsFrom(failure);
    isConflict.value = true;
    form.set({ ...changes.value, etag: etag.value });
    return {};
  }, read);
  const known = sprint.value ?? state.sprints.get(id);
  if (known) form.title.current = sprintName(known);
  if (!sprint.value) {
    return (
      <Dialog title="Edit sprint" onClose={closeDialog}>
        {error ? <p role="alert">{error}</p> : <Skeleton lines={5} />}
      </Dialog>
    );
  }
  const isCompleted = sprint.value.state === 'completed';
  const original = draftOf(sprint.value);
  const draft = { ...original, ...changes.value.typed };
  const close = (): void => {
    form.discard();
    if (isShown()) closeDialog();
  };
  const save = async (): Promise<void> => {
    isChecked.value = true;
    if (Object.keys(errorsOf(draft)).length > 0) return;
    const { typed } = changes.value;
    const all = fieldsOf(draft);
    const before = fieldsOf(original);
    const changed = NAMES.filter((name) => all[name] !== before[name]);
    if (changed.length > 0) {
      await api.PUT('/api/sprints/{sprint_id}', {
        params: { path: { sprint_id: id }, header: { 'If-Match': changes.value.etag } },
        body: Object.fromEntries(changed.map((name) => [name, all[name]])),
      });
      await store.rows.loadSprints();
      reportDone(store, `Saved ${isolated(draft.name) || 'the sprint'}`, announce);
    }
    if (changes.value.typed === typed) close();
    else {
      // What was typed meanwhile is not saved yet.
      await read();
      form.set({ ...changes.value, etag: etag.value });
    }
  };
  return (
    <Dialog title={`Edit ${sprintInText(sprint.value)}`} onClose={closeDialog}>
      <Form onSubmit={() => submit(save)}>
        <SprintForm
          draft={draft}
          overlaps={isCompleted ? [] : overlapping(state, draft, id)}
          errors={form.errors(draft, errors.value)}
          isCompleted={isCompleted}
          onChange={(fields) => form.change(original, fields, etag.value)}
        />
        {isConflict.value ? (
          <>
            <p role="alert" class="dialog-note">
              Someone else has changed this sprint. Your change was not saved.
            </p>
            <Differences theirs={original} mine={draft} />
            <footer class="dialog-foot">
              <span class="spring" />
              <Button onClick={close}>Keep theirs</Button>
              <Button
                kind="primary"
                onClick={() => {
                  isConflict.value = false;
                  submit(save);
                }}
              >
                Apply mine again
              </Button>
            </footer>
          </>
        ) : (
          <footer class="dialog-foot">
            <span class="spring" />
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" type="submit" aria-disabled={isBusy.value}>
              Save
            </Button>
          </footer>
        )}
      </Form>
    </Dialog>
  );
}
