import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { api } from '../../api/client';
import { ApiError } from '../../api/problem';
import type { Board, Weekday } from '../../api/types';
import { Button, FieldNote, Skeleton, TextField } from '../../components/controls';
import { Form } from '../../components/dialog-form';
import { navigate, pathOf } from '../../router';
import { announceUnsaved, report } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import { readBoard } from '../../state/board/connection';
import { canWrite } from '../../state/session';
import { useTitle } from '../../state/title';
import type { FieldErrors } from '../../util/failure';
import { fieldErrors } from '../../util/failure';
import { weekdays } from '../../util/format';
import { useSubmit } from '../../util/submit';
import { unsavedTexts } from '../../util/unsaved';
import { Exports } from '../transfer/export';
import { DeleteBoard } from './delete-board';

/** The settings of a board. */
export function SettingsView({ store }: { store: BoardStore }) {
  const board = store.view.value?.board;
  const isDeleting = useSignal(false);
  const name = board?.name;
  useTitle(name && `Settings – ${name}`);
  if (!board) return <Skeleton lines={5} />;
  return (
    <div class="settings">
      <header class="view-head">
        <h1>Settings</h1>
      </header>
      {canWrite.value ? (
        <>
          <BoardForm key={board.id} store={store} board={board} />
          <section class="setting" aria-label="Import">
            <h2>Import</h2>
            <p class="note">Imports sprints and stories from another tool, with a preview.</p>
            <div class="actions">
              <a class="button" href={pathOf(board.name, 'import')}>
                Import file
              </a>
            </div>
          </section>
          <Exports board={board.name} />
          <section class="setting danger-zone" aria-label="Delete the board">
            <h2>Delete the board</h2>
            <p class="note">
              Deletes the board with its sprints, stories and history. This cannot be undone.
            </p>
            <Button kind="danger" onClick={() => (isDeleting.value = true)}>
              Delete board
            </Button>
          </section>
        </>
      ) : (
        <>
          <p class="empty">
            Your token can only read. To change the settings, you need one with the scope Write.
          </p>
          <Exports board={board.name} />
        </>
      )}
      {isDeleting.value && (
        <DeleteBoard
          board={board}
          onDeleted={() => unsaved.delete(board.id)}
          onClose={() => (isDeleting.value = false)}
        />
      )}
    </div>
  );
}

const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

type Draft = Pick<Board, 'name' | 'time_zone' | 'working_days'>;

const fieldsOf = ({ name, time_zone, working_days }: Board): Draft => ({
  name,
  time_zone,
  working_days,
});

/** The unsaved changes of the form, and the board when the user began to type. */
interface Unsaved {
  typed: Partial<Draft>;
  original: Board;
}

/** The unsaved changes by the id of the board. They are kept when the view is left. */
const unsaved = unsavedTexts<number, Unsaved>();

function BoardForm({ store, board }: { store: BoardStore; board: Board }) {
  const zones = useId();
  const { draft, errors, isDirty, isBusy, type, save, cancel } = useDraft(store, board);
  return (
    <Form class="setting" onSubmit={() => isDirty && save()}>
      <TextField
        label="Name"
        error={errors?.name}
        value={draft.name}
        onText={(text) => type({ name: text })}
      />
      <TextField
        label="Time zone"
        error={errors?.time_zone}
        hint="The days of a sprint begin and end at midnight in this time zone."
        list={zones}
        autocomplete="off"
        value={draft.time_zone}
        onText={(text) => type({ time_zone: text })}
      />
      <datalist id={zones}>
        {TIME_ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <WorkingDays
        days={draft.working_days}
        error={errors?.working_days}
        onChange={(days) => type({ working_days: days })}
      />
      <FieldNote error={errors?.form} />
      <div class="actions">
        <Button kind="primary" type="submit" aria-disabled={!isDirty || isBusy.value}>
          Save
        </Button>
        <Button kind="quiet" aria-disabled={!isDirty} onClick={cancel}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}

/** The draft of the settings, and how it is saved. */
function useDraft(store: BoardStore, board: Board) {
  const changes = useSignal<Unsaved>(unsaved.get(board.id) ?? { typed: {}, original: board });
  const { isBusy, error, submit } = useSubmit(errorsOf);
  const { typed } = changes.value;
  const isDirty = Object.keys(typed).length > 0;
  const draft: Draft = { ...fieldsOf(board), ...typed };
  useEffect(
    () => () => {
      if (store.reader.failure.value) unsaved.delete(board.id);
      if (!unsaved.has(board.id)) return;
      announceUnsaved(`Settings of ${store.name}`, () => navigate(pathOf(store.name, 'settings')));
    },
    [],
  );
  const set = (next: Unsaved): void => {
    changes.value = next;
    if (Object.keys(next.typed).length > 0) unsaved.set(board.id, next);
    else unsaved.delete(board.id);
  };
  const type = (fields: Partial<Draft>): void => {
    const present = fieldsOf(board);
    const isTyped = ([name, value]: [string, unknown]): boolean =>
      JSON.stringify(value) !== JSON.stringify(present[name as keyof Draft]);
    const next = Object.fromEntries(Object.entries({ ...typed, ...fields }).filter(isTyped));
    set({ typed: next, original: isDirty ? changes.value.original : board });
    error.value = undefined;
  };
  const cancel = (): void => {
    set({ typed: {}, original: board });
    error.value = undefined;
  };

  const save = async (): Promise<void> => {
    // Compares the version, so that a change of someone else is not overwritten.
    const [present, etag] = await readBoard(board);
    if (present.version !== changes.value.original.version) {
      set({ typed, original: present });
      store.putBoard(present);
      error.value = {
        form: 'Someone else has changed these settings. Check them, then save again.',
      };
      return;
    }
    const { data } = await api.PATCH('/api/boards/{board_name}', {
      params: { path: { board_name: board.name }, header: { 'If-Match': etag } },
      // The service ignores spaces around the name, but not around the time zone.
      body: { ...typed, time_zone: typed.time_zone?.trim() },
    });
    // What was typed meanwhile is not saved yet.
    const later = Object.entries(changes.value.typed).filter(
      ([name, value]) => value !== typed[name as keyof Draft],
    );
    set({ typed: Object.fromEntries(later), original: data as Board });
    store.putBoard(data as Board);
    // Last, because a new name is announced, too.
    report('Settings saved');
  };
  return { draft, errors: error.value, isDirty, isBusy, type, save: () => submit(save), cancel };
}

interface WorkingDaysProps {
  days: readonly Weekday[];
  error?: string;
  onChange: (days: Weekday[]) => void;
}

function WorkingDays({ days, error, onChange }: WorkingDaysProps) {
  const note = useId();
  const set = (day: Weekday, isWorking: boolean): void =>
    onChange(
      weekdays()
        .map((each) => each.day)
        .filter((each) => (each === day ? isWorking : days.includes(each))),
    );
  return (
    <fieldset aria-describedby={note}>
      <legend>Working days</legend>
      <div class="days">
        {weekdays().map(({ day, name }) => (
          <label key={day} class="check">
            <input
              type="checkbox"
              checked={days.includes(day)}
              onChange={(event) => set(day, event.currentTarget.checked)}
            />
            {name}
          </label>
        ))}
      </div>
      <FieldNote
        id={note}
        error={error}
        hint="The ideal line of a burndown falls on these days only."
      />
    </fieldset>
  );
}

function errorsOf(failure: unknown): FieldErrors<keyof Draft> {
  if (failure instanceof ApiError && failure.code === 'name_taken')
    return { name: failure.message };
  const errors = fieldErrors(failure, ['name', 'time_zone', 'working_days']);
  // The service describes the field of the request.
  if (errors.time_zone) errors.time_zone = 'Choose a time zone, such as Europe/Berlin.';
  if (errors.working_days) errors.working_days = 'Choose at least one working day.';
  return errors;
}
