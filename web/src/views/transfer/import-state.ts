import type { Signal } from '@preact/signals';
import { batch, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../api/client';
import { ApiError, isDisconnected, isStale } from '../../api/problem';
import type { Board, ImportFormat, ImportView as Answer, Mapping } from '../../api/types';
import { upload } from '../../api/upload';
import { alertError, announce, report } from '../../state/announce';
import { isExpired, signedIn } from '../../state/session';
import { failureText } from '../../util/failure';
import { quoted } from '../../util/names';
import { randomKey } from '../../util/random';
import { useIsShown } from '../../util/submit';
import { untilAnswered } from '../../util/unsaved';
import { headerOf } from './header';
import { countsText } from './words';

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

/** What to do after the import, or its preview, has failed. */
export function textOf(failure: unknown): string {
  const code = failure instanceof ApiError ? failure.code : '';
  if (code === 'name_taken') {
    return 'A board with its history can only be imported as a new board. Choose Import in the list of boards, and enter a name that no board has.';
  }
  if (code === 'precondition_failed') {
    return 'Nothing was imported, because this board was renamed or deleted.';
  }
  return failureText(failure);
}

/** The name of a new board for the name of a file. */
const boardNameOf = (fileName: string): string =>
  fileName
    .replace(/\.[^.]*$/, '')
    .slice(0, 100)
    .trim();

/** The time zone of the browser, which a new board gets. */
const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Sets the time zone of an imported board to that of the browser. Its failure does not make the import fail. */
async function setTimeZone(name: string): Promise<void> {
  try {
    await api.PATCH('/api/boards/{board_name}', {
      params: { path: { board_name: name } },
      body: { time_zone: timeZone() },
    });
  } catch (failure) {
    const why = failure instanceof ApiError || isDisconnected(failure) ? failureText(failure) : '';
    alertError(`The time zone of the board could not be set. ${why}`);
  }
}

/**
 * The names of the boards; null until they are known.
 * @param isWanted whether they are needed
 * @param attempt another number requests them again unless they are known
 */
function useBoardNames(isWanted: boolean, attempt: number) {
  const names = useSignal<readonly string[] | null>(null);
  /** Whether the request for the boards has ended. */
  const isSettled = useSignal(!isWanted);
  useEffect(() => {
    if (!isWanted || names.value !== null) return;
    isSettled.value = false;
    const settle = (boards: Board[] | null): void =>
      batch(() => {
        names.value = boards && boards.map((each) => each.name);
        isSettled.value = true;
      });
    api.GET('/api/boards').then(
      ({ data }) => settle(data as Board[]),
      () => settle(null),
    );
  }, [isWanted, attempt]);
  return { names, isSettled };
}

/** The board into which the file is imported; the parameters are those of `useImport` and `useBoardNames`. */
function useTarget(board: string | undefined, attempt: number) {
  const typedName = useSignal('');
  /** The name of the board that someone else had created or deleted before the import. */
  const changedName = useSignal<string | null>(null);
  const name = board ?? typedName.value.trim();
  const storedName = name.normalize('NFC');
  const { names, isSettled } = useBoardNames(board === undefined, attempt);
  /** Whether the board exists; undefined while it is not known. */
  const exists = board !== undefined || names.value?.includes(storedName);
  /** Returns whether someone else has created or deleted the board since its name was checked, and notes it. */
  const noteChange = (failure: unknown): boolean => {
    const { value } = names;
    if (!value || !isStale(failure)) return false;
    names.value = exists ? value.filter((each) => each !== storedName) : [...value, storedName];
    return true;
  };
  return { name, typedName, changedName, isSettled, exists, noteChange };
}

/** The chosen file, once it is read. `onRead` is called before it replaces the former one. */
function useFile(isImporting: Signal<boolean>, onRead: (name: string, former: string) => void) {
  const file = useSignal<Chosen | null>(null);
  const fileError = useSignal('');
  const lastChosen = useRef<File | null>(null);
  const choose = async (chosen: File): Promise<void> => {
    fileError.value = '';
    lastChosen.current = chosen;
    if (chosen.size > MAX_BYTES) {
      fileError.value = 'The file has more than 32 MiB. Export it in parts.';
      return;
    }
    try {
      const content = new Blob([await chosen.arrayBuffer()]);
      const header = await headerOf(content);
      if (isImporting.value || lastChosen.current !== chosen) return;
      onRead(chosen.name, file.value?.name ?? '');
      file.value = { name: chosen.name, content, header };
    } catch {
      if (lastChosen.current === chosen) fileError.value = 'The file cannot be read.';
    }
  };
  return { file, fileError, choose };
}

/** What a request sends. */
interface Body {
  target: ReturnType<typeof useTarget>;
  file: Signal<Chosen | null>;
  format: Signal<ImportFormat | 'auto'>;
  choices: Signal<Mapping>;
}

/** Sends the file: with an idempotency key to import it, or without one as a dry run. */
function useSender({ target: { name, exists }, file, format, choices }: Body) {
  const sent = useSignal(0);
  const send = ({ key, signal }: { key?: string; signal?: AbortSignal }): Promise<Answer> => {
    const form = new FormData();
    const mapping = { ...(exists === false && { time_zone: timeZone() }), ...choices.value };
    form.append('mapping', JSON.stringify(mapping));
    if (file.value) form.append('file', file.value.content, file.value.name);
    sent.value = 0;
    return upload<Answer>(
      `/api/boards/${encodeURIComponent(name)}/import?format=${format.value}&dry_run=${key === undefined}`,
      form,
      {
        signal,
        headers: {
          ...(exists === false && { 'If-None-Match': '*' }),
          // Otherwise a board that was renamed or deleted would be created again. A preview has no such condition, so
          // that the service rejects an export with its history because of the name.
          ...(exists && key && { 'If-Match': '*' }),
          ...(key && { 'Idempotency-Key': key }),
        },
        onProgress: (share) => (sent.value = share),
      },
    );
  };
  return { sent, send };
}

/** The preview, which is requested again when one of the `inputs` differs, except during the import. */
function useDryRun(
  { target, file }: Body,
  send: ReturnType<typeof useSender>['send'],
  inputs: readonly unknown[],
  isImporting: Signal<boolean>,
  again: () => void,
) {
  const { name, isSettled, noteChange } = target;
  const preview = useSignal<PreviewState>({ answer: null, failure: null });
  const isPreviewing = useSignal(false);
  const lastFile = useRef<Chosen | null>(null);
  useEffect(() => {
    if (isImporting.value) return;
    isPreviewing.value = file.value !== null && name !== '';
    if (!isPreviewing.value || !isSettled.value) return;
    const abort = new AbortController();
    const isOther = lastFile.current !== file.value;
    lastFile.current = file.value;
    if (isOther) preview.value = { answer: null, failure: null };
    const timer = setTimeout(
      () => {
        send({ signal: abort.signal }).then(
          (answer) => {
            preview.value = { answer, failure: null };
            isPreviewing.value = false;
            announce(`The import would create ${countsText(answer.created) || 'nothing'}`);
          },
          (failure: unknown) => {
            if (abort.signal.aborted || noteChange(failure)) return;
            preview.value = { answer: preview.value.answer, failure };
            isPreviewing.value = false;
            if (isExpired.value) void signedIn().then(() => abort.signal.aborted || again());
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
  return { preview, isPreviewing };
}

/**
 * The file, the choices of the user, the dry run, which is repeated after each change of them, and the import.
 * @param board the name of the board; if it is absent, the user enters one
 */
export function useImport(board: string | undefined) {
  const format = useSignal<ImportFormat | 'auto'>('auto');
  const choices = useSignal<Mapping>({});
  const isImporting = useSignal(false);
  /** Whether the last request was the import itself, not a dry run; “Try again” then repeats it with its key. */
  const isSent = useSignal(false);
  const done = useSignal<Answer | null>(null);
  const attempt = useSignal(0);
  /** The idempotency key, the same for each attempt of one import. */
  const key = useRef('');
  const target = useTarget(board, attempt.value);
  const { name, typedName, changedName, exists } = target;
  const { file, fileError, choose } = useFile(isImporting, (fileName, former) => {
    choices.value = {};
    done.value = null;
    // The name of the former file is no name that the user has typed.
    const isTyped = !['', boardNameOf(former)].includes(typedName.value.trim());
    if (board === undefined && !isTyped) typedName.value = boardNameOf(fileName);
  });
  const body = { target, file, format, choices };
  const { sent, send } = useSender(body);

  // The dry run depends on all of these.
  const inputs = [
    ...[name, exists, target.isSettled.value],
    ...[file.value, format.value, choices.value, attempt.value],
  ];
  useEffect(() => {
    // During an import, its inputs and its key stay the same.
    if (isImporting.value) return;
    key.current = randomKey();
    isSent.value = false;
  }, inputs);
  const previewAgain = (): void => {
    attempt.value += 1;
  };
  const { preview, isPreviewing } = useDryRun(body, send, inputs, isImporting, previewAgain);

  const isShown = useIsShown();
  const run = async (): Promise<void> => {
    if (isImporting.value) return;
    isImporting.value = true;
    isSent.value = true;
    preview.value = { answer: preview.value.answer, failure: null };
    const creates = exists === false;
    const fileName = file.value?.name ?? '';
    try {
      const answer = await untilAnswered(send({ key: key.current }));
      if (creates && answer.format !== 'sprintline') await setTimeZone(name);
      done.value = answer;
      const what = `Imported ${countsText(answer.created) || 'nothing new'}`;
      if (isShown()) announce(what);
      else report(what);
    } catch (failure) {
      const hasChanged = target.noteChange(failure);
      if (!isShown()) {
        const changed = `There is ${creates ? 'now a' : 'no'} board with this name.`;
        alertError(
          `${quoted(fileName)} was not imported. ${hasChanged ? changed : textOf(failure)}`,
        );
      } else if (hasChanged) changedName.value = name;
      else preview.value = { answer: preview.value.answer, failure };
    } finally {
      isImporting.value = false;
    }
  };

  return {
    name,
    typedName,
    exists,
    hasChanged: changedName.value === name,
    file,
    fileError,
    choose,
    format,
    choices,
    preview,
    isPreviewing,
    isImporting,
    isSent,
    sent,
    done,
    run,
    retry: () => {
      if (isSent.value) void run();
      else previewAgain();
    },
  };
}
