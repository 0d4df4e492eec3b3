import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { ApiError } from '../../api/problem';
import type { Mapping } from '../../api/types';
import { Button, Field, SelectField, TextField } from '../../components/controls';
import { navigate, pathOf } from '../../router';
import { canWrite, session } from '../../state/session';
import { useTitle } from '../../state/title';
import { isolated } from '../../util/names';
import { textOf, useImport } from './import-state';
import {
  Archived,
  Columns,
  DateOrder,
  Priorities,
  SprintDates,
  Statuses,
  Subtasks,
  unmappedOf,
} from './mapping';
import { Done, Errors, Preview } from './preview';
import { countsText, FORMATS, planText, SOURCES } from './words';

/**
 * Imports a file: previews the import by a dry run, asks for what the file does not say, and imports it.
 * @param board the name of the board; if it is absent, the user enters one
 */
export function ImportView({ board }: { board?: string }) {
  const title = board === undefined ? 'Import a board' : `Import into ${isolated(board)}`;
  useTitle(`Import – ${board ?? 'Sprintline'}`);
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
  const current = useImport(board);
  const { answer, failure } = current.preview.value;
  const done = current.done.value;
  if (done) return <Done answer={done} name={current.name} onAgain={onAgain} />;
  return (
    <>
      <fieldset disabled={current.isImporting.value}>
        <FileForm board={board} current={current} hasFocus={hasFocus} />
        {failure !== null && (
          <Errors
            failure={failure}
            hasFocus={current.isSent.value}
            text={textOf(failure)}
            onRetry={current.retry}
          />
        )}
        <HowRead current={current} />
      </fieldset>

      {answer && failure === null && (
        <Preview answer={answer} isBusy={current.isPreviewing.value} />
      )}
      {current.file.value && <Foot board={board} current={current} />}
    </>
  );
}

interface PartProps {
  board?: string;
  current: ReturnType<typeof useImport>;
}

/** The fields for the file, its board and its format. */
function FileForm({ board, current, hasFocus }: PartProps & { hasFocus: boolean }) {
  const { file, fileError, choose } = current;
  return (
    <form class="setting" noValidate onSubmit={(event) => event.preventDefault()}>
      <FileField
        error={fileError.value}
        hasFocus={hasFocus}
        onChoose={(chosen) => void choose(chosen)}
      />
      {board === undefined && <BoardField current={current} />}
      {file.value ? <FormatField current={current} /> : <Sources />}
    </form>
  );
}

/** The field for the name of the board, which may exist. */
function BoardField({ current }: PartProps) {
  const { name, typedName, exists, hasChanged } = current;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The button “Import”, which had the focus, is disabled during the next preview.
    if (hasChanged) field.current?.focus();
  }, [hasChanged]);
  const changed = exists
    ? 'there is now a board with this name. To import into it,'
    : 'there is no board with this name now. To create it,';
  return (
    <TextField
      ref={field}
      label="Name"
      error={
        hasChanged ? `Nothing was imported, because ${changed} press Import again.` : undefined
      }
      hint={
        !name || exists === false
          ? 'The name of the new board.'
          : exists
            ? 'There is a board with this name. The file is imported into it.'
            : 'The name of a new or an existing board.'
      }
      value={typedName.value}
      onText={(text) => (typedName.value = text)}
    />
  );
}

function FormatField({ current: { format, preview } }: PartProps) {
  const { answer } = preview.value;
  return (
    <SelectField label="Format" value={format.value} onPick={(picked) => (format.value = picked)}>
      <option value="auto">
        {answer && format.value === 'auto' ? `${FORMATS[answer.format]}, detected` : 'Detect'}
      </option>
      {Object.entries(FORMATS).map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </SelectField>
  );
}

/** How the file is read, as far as the user can choose it. */
function HowRead({ current: { file, format, choices, preview } }: PartProps) {
  const { answer, failure } = preview.value;
  const isAmbiguous = failure instanceof ApiError && failure.code === 'ambiguous_dates';
  const table = file.value?.header;
  const read = answer?.format ?? (format.value === 'auto' ? undefined : format.value);
  const isKnown = answer !== null || isAmbiguous;
  if (!file.value || !(isKnown || (failure && table)) || read === 'sprintline') return null;

  const change = (set: Partial<Mapping>): void => {
    choices.value = { ...choices.value, ...set };
  };
  const mapping = { choices: choices.value, onChoice: change };
  const required = unmappedOf(failure);
  const names = {
    ...mapping,
    answer,
    unmapped: required ?? answer?.unmapped,
    isStrict: required !== undefined,
  };
  return (
    <section class="setting" aria-label="How the file is read">
      <h2>How the file is read</h2>
      <Statuses {...names} />
      <Priorities {...names} />
      {answer && <SprintDates {...mapping} answer={answer} />}
      {table && (
        <Columns
          {...mapping}
          header={table}
          answer={answer}
          isLinear={read === 'linear-csv'}
          isAsked={failure !== null && !isAmbiguous}
        />
      )}
      {read !== 'csv' && isKnown && (
        <div class="mapping-fields">
          <DateOrder {...mapping} isAsked={isAmbiguous} />
          <Subtasks {...mapping} />
          <Archived {...mapping} />
        </div>
      )}
    </section>
  );
}

/** What the import would do or how far it is, and the buttons. */
function Foot({ board, current }: PartProps) {
  const { name, preview, isPreviewing, isImporting, sent, run } = current;
  const { answer, failure } = preview.value;
  const importButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button “Try again”, which had the focus, is removed.
    if (isImporting.value) importButton.current?.focus();
  }, [isImporting.value]);

  const isBusy = isPreviewing.value || isImporting.value;
  const isEmpty = !answer || !(countsText(answer.created) || countsText(answer.updated));
  return (
    <footer class="transfer-foot">
      <Progress
        isShown={isBusy}
        sent={sent.value}
        text={isImporting.value ? 'Importing' : 'Reading the file'}
      />
      {answer && failure === null && !isBusy && <span class="note">{planText(answer)}</span>}
      <span class="spring" />
      {!isImporting.value && (
        <a class="button" href={board === undefined ? '/' : pathOf(board, 'backlog')}>
          Cancel
        </a>
      )}
      <Button
        kind="primary"
        disabled={!name || failure !== null || isPreviewing.value || isEmpty}
        ref={importButton}
        // Not disabled, so that it keeps the focus.
        aria-disabled={isImporting.value}
        onClick={() => void run()}
      >
        Import
      </Button>
    </footer>
  );
}

interface FileFieldProps {
  error: string;
  hasFocus: boolean;
  onChoose: (file: File) => void;
}

/** Shows a file in a field, as if the user had chosen it there. */
function show(file: File, field: HTMLInputElement): void {
  const list = new DataTransfer();
  list.items.add(file);
  field.files = list.files;
}

/** The field for the file, which can also be dropped anywhere on the page. */
function FileField({ error, hasFocus, onChoose }: FileFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const chosen = useRef<File>(undefined);
  const choose = (file: File | undefined): void => {
    if (!file) return;
    chosen.current = file;
    onChoose(file);
  };
  const latest = useRef(choose);
  latest.current = choose;
  useEffect(() => {
    // By default, the browser opens the file in place of the page.
    const accept = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      accept(event);
      const [file] = event.dataTransfer?.files ?? [];
      const field = input.current;
      if (!file || !field || field.matches(':disabled')) return;
      show(file, field);
      latest.current(file);
    };
    addEventListener('dragover', accept);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', accept);
      removeEventListener('drop', drop);
    };
  }, []);
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
          // Otherwise the browser ignores the same file after it was corrected.
          onClick={(event) => (event.currentTarget.value = '')}
          accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl"
          onCancel={(event) => {
            if (chosen.current) show(chosen.current, event.currentTarget);
          }}
          onChange={(event) => choose(event.currentTarget.files?.[0])}
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
