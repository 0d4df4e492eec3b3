import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { api } from '../../api/client';
import { ApiError } from '../../api/problem';
import type { Board, ImportFormat, ImportView as Answer, Mapping } from '../../api/types';
import { upload } from '../../api/upload';
import { Button, Field, SelectField, TextField } from '../../components/controls';
import { navigate, pathOf } from '../../router';
import { announce } from '../../state/announce';
import { canWrite, session } from '../../state/session';
import { failureText } from '../../util/failure';
import { formatNumber } from '../../util/format';
import { randomKey } from '../../util/random';
import { headerOf } from './header';
import {
  Archived,
  Columns,
  DateOrder,
  Priorities,
  SprintDates,
  Statuses,
  Subtasks,
} from './mapping';
import { Errors, Preview } from './preview';
import { countsText, FORMATS, SOURCES } from './words';

const MAX_BYTES = 32 * 1024 * 1024;
/** Milliseconds before a dry run, because the user may change several choices in a row. */
const PAUSE_MS = 250;

interface Chosen {
  name: string;
  /** A copy, so that the imported content is the previewed one even if the file changes. */
  content: Blob;
  header: readonly string[] | null;
}

/** The last response and error of the import or of its dry run. */
interface PreviewState {
  answer: Answer | null;
  failure: unknown;
}

/**
 * Imports a file: previews the import by a dry run, asks for what the file does not say, and imports it.
 * @param board the name of the board; if it is absent, the user enters one
 */
export function ImportView({ board }: { board?: string }) {
  const title = board === undefined ? 'Import a board' : `Import into ${board}`;
  useEffect(() => {
    document.title = board === undefined ? 'Import – Sprintline' : `Import – ${board}`;
  }, [board]);
  /** The number of finished imports after which the user chose to import another file. */
  const round = useSignal(0);
  const isAllowed = canWrite.value && (board !== undefined || session.value?.boards == null);
  return (
    <div class="transfer">
      <header class="view-head">
        <h1>{title}</h1>
        <p class="note">
          From Jira, Trello, Taiga, Linear, GitHub, a spreadsheet, or another Sprintline. A preview
          shows what would change before you import.
        </p>
      </header>
      {isAllowed ? (
        <Import
          key={round.value}
          board={board}
          hasFocus={round.value > 0}
          onAgain={() => {
            round.value += 1;
            navigate('/import');
          }}
        />
      ) : (
        <p class="empty">
          {canWrite.value
            ? 'Your token is for certain boards only. To import into one of them, open its settings.'
            : 'Your token can only read. To import, you need one with the scope Write.'}
        </p>
      )}
    </div>
  );
}

interface ImportProps {
  board?: string;
  /** Whether the field of the file gets the focus. */
  hasFocus: boolean;
  onAgain: () => void;
}

function Import({ board, hasFocus, onAgain }: ImportProps) {
  const typedName = useSignal('');
  const file = useSignal<Chosen | null>(null);
  const fileError = useSignal('');
  const format = useSignal<ImportFormat | 'auto'>('auto');
  const choices = useSignal<Mapping>({});
  const preview = useSignal<PreviewState>({ answer: null, failure: null });
  const isPreviewing = useSignal(false);
  const isImporting = useSignal(false);
  /** Whether the last request was the import itself, not a dry run; “Try again” then repeats it with its key. */
  const isSent = useSignal(false);
  const sent = useSignal(0);
  const done = useSignal<Answer | null>(null);
  const attempt = useSignal(0);
  /** The names of the boards; null until they are known. */
  const boards = useSignal<readonly string[] | null>(null);
  /** Whether the request for the boards has ended. */
  const isSettled = useSignal(board !== undefined);
  /** The idempotency key, the same for each attempt of one import. */
  const key = useRef('');
  const name = board ?? typedName.value.trim();
  const isNew =
    board === undefined && boards.value !== null && !boards.value.includes(name.normalize('NFC'));

  useEffect(() => {
    if (board !== undefined || boards.value !== null) return;
    isSettled.value = false;
    void api
      .GET('/api/boards')
      .then(
        ({ data }) => (boards.value = (data as Board[]).map((each) => each.name)),
        () => undefined,
      )
      .then(() => (isSettled.value = true));
  }, [board, attempt.value]);

  const send = (isDryRun: boolean, signal?: AbortSignal): Promise<Answer> => {
    const form = new FormData();
    // A new board gets the time zone of the browser.
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const mapping = { ...(isNew && { time_zone: timeZone }), ...choices.value };
    form.append('mapping', JSON.stringify(mapping));
    if (file.value) form.append('file', file.value.content, file.value.name);
    sent.value = 0;
    return upload<Answer>(
      `/api/boards/${encodeURIComponent(name)}/import?format=${format.value}&dry_run=${isDryRun}`,
      form,
      {
        signal,
        headers: isDryRun ? {} : { 'Idempotency-Key': key.current },
        onProgress: (share) => (sent.value = share),
      },
    );
  };

  // The dry run depends on all of these.
  const inputs = [
    ...[name, isNew, isSettled.value],
    ...[file.value, format.value, choices.value, attempt.value],
  ];
  const lastFile = useRef<Chosen | null>(null);
  useEffect(() => {
    // During an import, its inputs and its key stay the same.
    if (isImporting.value) return;
    key.current = randomKey();
    isSent.value = false;
    isPreviewing.value = file.value !== null && name !== '';
    if (!isPreviewing.value || !isSettled.value) return;
    const abort = new AbortController();
    const isOther = lastFile.current !== file.value;
    lastFile.current = file.value;
    if (isOther) preview.value = { answer: null, failure: null };
    const timer = setTimeout(
      () => {
        send(true, abort.signal).then(
          (answer) => {
            preview.value = { answer, failure: null };
            isPreviewing.value = false;
            announce(`The import would create ${countsText(answer.created) || 'nothing'}`);
          },
          (failure: unknown) => {
            if (abort.signal.aborted) return;
            preview.value = { answer: preview.value.answer, failure };
            isPreviewing.value = false;
          },
        );
      },
      isOther ? 0 : PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, inputs);

  const lastChosen = useRef<File | null>(null);
  const choose = async (chosen: File | undefined): Promise<void> => {
    fileError.value = '';
    if (!chosen) return;
    lastChosen.current = chosen;
    if (chosen.size > MAX_BYTES) {
      fileError.value = 'The file has more than 32 MiB. Export it in parts.';
      return;
    }
    try {
      const content = new Blob([await chosen.arrayBuffer()]);
      const header = await headerOf(content);
      if (isImporting.value || lastChosen.current !== chosen) return;
      choices.value = {};
      done.value = null;
      if (board === undefined && !name) {
        typedName.value = chosen.name.replace(/\.[^.]*$/, '').slice(0, 100);
      }
      file.value = { name: chosen.name, content, header };
    } catch {
      if (lastChosen.current === chosen) fileError.value = 'The file cannot be read.';
    }
  };

  const importButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button “Try again”, which had the focus, is removed.
    if (isImporting.value) importButton.current?.focus();
  }, [isImporting.value]);

  const run = async (): Promise<void> => {
    if (isImporting.value) return;
    isImporting.value = true;
    isSent.value = true;
    preview.value = { answer: preview.value.answer, failure: null };
    const creates = isNew;
    try {
      const answer = await send(false);
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      if (creates && answer.format !== 'sprintline') {
        // If this fails, the user can set the time zone later.
        await api
          .PATCH('/api/boards/{board_name}', {
            params: { path: { board_name: name } },
            body: { time_zone: timeZone },
          })
          .catch(() => undefined);
      }
      done.value = answer;
      announce(`Imported ${countsText(answer.created) || 'nothing new'}`);
    } catch (failure) {
      preview.value = { answer: preview.value.answer, failure };
    } finally {
      isImporting.value = false;
    }
  };

  const { answer, failure } = preview.value;
  const isAmbiguous = failure instanceof ApiError && failure.code === 'ambiguous_dates';
  const change = (set: Partial<Mapping>): void => {
    choices.value = { ...choices.value, ...set };
  };
  const total = useComputed(() => {
    const shown = preview.value.answer;
    if (!shown) return 0;
    const count = (counts: Answer['created']): number =>
      counts.sprints + counts.stories + counts.tasks;
    return count(shown.created) + count(shown.updated);
  });

  if (done.value) return <Done answer={done.value} name={name} onAgain={onAgain} />;
  const mapping = { choices: choices.value, onChoice: change };
  const table = file.value?.header;
  const read = answer?.format ?? (format.value === 'auto' ? undefined : format.value);
  return (
    <>
      <fieldset disabled={isImporting.value}>
        <form
          class="setting"
          noValidate
          onSubmit={(event) => event.preventDefault()}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            void choose(event.dataTransfer?.files[0]);
          }}
        >
          <FileField
            error={fileError.value}
            hasFocus={hasFocus}
            onChoose={(chosen) => void choose(chosen)}
          />
          {board === undefined && (
            <TextField
              label="Name"
              hint={
                !name || isNew
                  ? 'The name of the new board.'
                  : boards.value
                    ? 'There is a board with this name. The file is imported into it.'
                    : 'The name of a new or an existing board.'
              }
              maxLength={100}
              value={typedName.value}
              onText={(text) => (typedName.value = text)}
            />
          )}
          {file.value && (
            <SelectField
              label="Format"
              value={format.value}
              onPick={(picked) => (format.value = picked)}
            >
              <option value="auto">
                {answer && format.value === 'auto'
                  ? `${FORMATS[answer.format]}, detected`
                  : 'Detect'}
              </option>
              {Object.entries(FORMATS).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </SelectField>
          )}
          {!file.value && <Sources />}
        </form>

        {failure !== null && (
          <Errors
            failure={failure}
            hasFocus={isSent.value}
            text={failureText(failure)}
            onRetry={() => {
              if (isSent.value) void run();
              else attempt.value += 1;
            }}
          />
        )}

        {file.value && (answer || isAmbiguous || (failure && table)) && read !== 'sprintline' && (
          <section class="setting" aria-label="How the file is read">
            <h2>How the file is read</h2>
            {isAmbiguous && <DateOrder {...mapping} isAsked />}
            {answer && <Statuses {...mapping} answer={answer} />}
            {answer && <Priorities {...mapping} answer={answer} />}
            {answer && <SprintDates {...mapping} answer={answer} />}
            {table && (
              <details open={failure !== null && !isAmbiguous ? true : undefined}>
                <summary>Columns</summary>
                <Columns
                  {...mapping}
                  header={table}
                  answer={answer}
                  isLinear={read === 'linear-csv'}
                />
              </details>
            )}
            {read !== 'csv' && (answer !== null || isAmbiguous) && (
              <div class="mapping-fields">
                {!isAmbiguous && <DateOrder {...mapping} isAsked={false} />}
                <Subtasks {...mapping} />
                <Archived {...mapping} />
              </div>
            )}
          </section>
        )}
      </fieldset>

      {answer && failure === null && <Preview answer={answer} isBusy={isPreviewing.value} />}

      {file.value && (
        <footer class="transfer-foot">
          <Progress
            isShown={isPreviewing.value || isImporting.value}
            sent={sent.value}
            text={isImporting.value ? 'Importing' : 'Reading the file'}
          />
          {answer && failure === null && !isPreviewing.value && !isImporting.value && (
            <span class="note">{planText(answer)}</span>
          )}
          <span class="spring" />
          <a class="button" href={board === undefined ? '/' : pathOf(board, 'backlog')}>
            Cancel
          </a>
          <Button
            kind="primary"
            disabled={
              !answer || !name || failure !== null || isPreviewing.value || total.value === 0
            }
            ref={importButton}
            // Not disabled, so that it keeps the focus.
            aria-disabled={isImporting.value}
            onClick={() => void run()}
          >
            Import
          </Button>
        </footer>
      )}
    </>
  );
}

function planText({ created, updated }: Answer): string {
  const [creates, changes] = [countsText(created), countsText(updated)];
  if (!creates && !changes) return 'Nothing new to import.';
  return [creates && `Creates ${creates}.`, changes && `Changes ${changes}.`]
    .filter(Boolean)
    .join(' ');
}

interface FileFieldProps {
  error: string;
  hasFocus: boolean;
  onChoose: (file: File | undefined) => void;
}

function FileField({ error, hasFocus, onChoose }: FileFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (hasFocus) input.current?.focus();
  }, [hasFocus]);
  return (
    <Field label="File" error={error || undefined} hint="Or drop it here. At most 32 MiB.">
      {(props) => (
        <input
          {...props}
          ref={input}
          type="file"
          accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl"
          onChange={(event) => {
            const [chosen] = event.currentTarget.files ?? [];
            onChoose(chosen);
          }}
        />
      )}
    </Field>
  );
}

function Sources() {
  return (
    <details>
      <summary>Where do I get the file?</summary>
      <dl class="sources">
        {SOURCES.map(({ name, how }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{how}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Progress({ isShown, sent, text }: { isShown: boolean; sent: number; text: string }) {
  const id = useId();
  if (!isShown) return null;
  return (
    <>
      {/* No value once the file is sent, because the time that the service needs is unknown. */}
      <progress aria-labelledby={id} {...(sent < 1 && { value: sent })} />
      <span id={id} class="note">
        {text}…
      </span>
    </>
  );
}

function Done({ answer, name, onAgain }: { answer: Answer; name: string; onAgain: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { created, updated, skipped } = answer;
  return (
    <section class="setting" aria-label="Imported">
      <h2 ref={heading} tabIndex={-1}>
        Imported
      </h2>
      <p>
        Created: {countsText(created) || 'nothing'}.
        {countsText(updated) && ` Changed: ${countsText(updated)}.`}
        {skipped.length > 0 && ` Skipped: ${formatNumber(skipped.length)}.`}
      </p>
      <div class="actions">
        <a class="button primary" href={pathOf(name, 'backlog')}>
          Go to the plan
        </a>
        <a class="button" href={pathOf(name, 'reports')}>
          Reports
        </a>
        <Button kind="quiet" onClick={onAgain}>
          Import another file
        </Button>
      </div>
    </section>
  );
}
