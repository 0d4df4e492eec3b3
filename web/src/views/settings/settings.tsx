import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { api, headersOf } from '../../api/client';
import { ApiError } from '../../api/problem';
import type { Board, Weekday } from '../../api/types';
import { Button, Skeleton, TextField } from '../../components/controls';
import { announce, toast } from '../../state/announce';
import type { BoardStore } from '../../state/board-store';
import { pathOf } from '../../router';
import { canWrite } from '../../state/session';
import { failureText } from '../../util/failure';
import { weekdays } from '../../util/format';
import { useSubmit } from '../../util/submit';
import { Exports } from '../transfer/export';
import { DeleteBoard } from './delete-board';

/** The settings of a board. */
export function SettingsView({ store }: { store: BoardStore }) {
  const board = store.view.value?.board;
  const isDeleting = useSignal(false);
  const name = board?.name;
  useEffect(() => {
    if (name !== undefined) document.title = `Settings – ${name}`;
  }, [name]);
  if (!board) return <Skeleton lines={5} />;
  return (
    <div class="settings">
      <header class="view-head">
        <h1>Settings</h1>
      </header>
      {canWrite.value ? (
        <>
          <BoardForm store={store} board={board} />
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
      {isDeleting.value && <DeleteBoard board={board} onClose={() => (isDeleting.value = false)} />}
    </div>
  );
}

const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

interface Draft {
  name: string;
  time_zone: string;
  working_days: readonly Weekday[];
}

type Errors = Partial<Record<keyof Draft | 'form', string>>;

function BoardForm({ store, board }: { store: BoardStore; board: Board }) {
  const zones = useId();
  const days = useId();
  const typed = useSignal<Partial<Draft>>({});
  /** The board when the user began to type. */
  const original = useSignal(board);
  const errors = useSignal<Errors>({});
  const { isBusy, submit } = useSubmit((failure) => (errors.value = errorsOf(failure)));
  const isDirty = Object.keys(typed.value).length > 0;
  if (!isDirty && original.value !== board) original.value = board;
  const { name, time_zone, working_days } = board;
  const draft: Draft = { name, time_zone, working_days, ...typed.value };
  const type = (set: Partial<Draft>): void => {
    typed.value = { ...typed.value, ...set };
  };

  const save = async (): Promise<void> => {
    const path = { board_name: board.name };
    // Reads the present tag, and compares the version so that a change of someone else is not overwritten.
    const present = await api.GET('/api/boards/{board_name}', { params: { path } });
    if ((present.data as Board).version !== original.value.version) {
      original.value = present.data as Board;
      errors.value = {
        form: 'Someone else has changed these settings. Check them, then save again.',
      };
      return;
    }
    const header = { 'If-Match': headersOf(present.response).etag };
    const { data } = await api.PATCH('/api/boards/{board_name}', {
      params: { path, header },
      body: typed.value as Partial<Board>,
    });
    typed.value = {};
    errors.value = {};
    toast('Settings saved');
    announce('Settings saved');
    if (data) store.rename(data.name);
  };

  return (
    <form
      class="setting"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit(save);
      }}
    >
      <TextField
        label="Name"
        error={errors.value.name}
        maxLength={100}
        value={draft.name}
        onText={(text) => type({ name: text })}
      />
      <TextField
        label="Time zone"
        error={errors.value.time_zone}
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
      <fieldset aria-describedby={`${days}-note`}>
        <legend>Working days</legend>
        <div class="days">
          {weekdays().map(({ day, name }) => (
            <label key={day} class="check">
              <input
                type="checkbox"
                checked={draft.working_days.includes(day)}
                onChange={(event) =>
                  type({
                    working_days: weekdays()
                      .map((each) => each.day)
                      .filter((each) =>
                        each === day
                          ? event.currentTarget.checked
                          : draft.working_days.includes(each),
                      ),
                  })
                }
              />
              {name}
            </label>
          ))}
        </div>
        <p id={`${days}-note`} class={errors.value.working_days ? 'field-error' : 'field-hint'}>
          {errors.value.working_days ?? 'The ideal line of a burndown falls on these days only.'}
        </p>
      </fieldset>
      {errors.value.form && (
        <p class="field-error" role="alert">
          {errors.value.form}
        </p>
      )}
      <div class="actions">
        <Button kind="primary" type="submit" disabled={!isDirty || isBusy.value}>
          Save
        </Button>
        {isDirty && (
          <Button
            kind="quiet"
            onClick={() => {
              typed.value = {};
              errors.value = {};
            }}
          >
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}

function errorsOf(failure: unknown): Errors {
  if (!(failure instanceof ApiError)) return { form: failureText(failure) };
  if (failure.code === 'name_taken') return { name: failure.message };
  const errors: Errors = {
    name: failure.detailOf('name'),
    time_zone: failure.detailOf('time_zone'),
    working_days: failure.detailOf('working_days'),
  };
  return Object.values(errors).some(Boolean) ? errors : { form: failure.message };
}
