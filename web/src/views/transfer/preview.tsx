import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, isTemporary, isUnauthorized } from '../../api/problem';
import type { ImportView as Answer } from '../../api/types';
import { Button } from '../../components/controls';
import { Table } from '../../components/table';
import { pathOf } from '../../router';
import { formatNumber } from '../../util/format';
import { countsText, FORMATS, skippedText, warningText } from './words';

/** The maximum number of listed lines. */
const MAX_LINES = 200;

/** The preview of an import: the numbers of changes, skipped rows and warnings. */
export function Preview({ answer, isBusy }: { answer: Answer; isBusy: boolean }) {
  const { created, updated, unchanged, skipped, warnings, format } = answer;
  const kinds = [
    { name: 'Sprints', kind: 'sprints' },
    { name: 'Stories', kind: 'stories' },
    { name: 'Tasks', kind: 'tasks' },
  ] as const;
  const groups = new Map<string, Answer['skipped']>();
  for (const each of skipped) groups.set(each.code, [...(groups.get(each.code) ?? []), each]);
  return (
    <section class="setting preview" aria-label="Preview" aria-busy={isBusy}>
      <div class="figure-head">
        <h2>Preview</h2>
        <span class="note">{FORMATS[format]}</span>
      </div>
      <Table
        name="What the import does"
        head={['Kind', 'New', 'Changed', 'Unchanged']}
        rows={kinds.map(({ name, kind }) => ({
          key: kind,
          cells: [name, ...[created, updated, unchanged].map((each) => formatNumber(each[kind]))],
        }))}
      />
      {(groups.size > 0 || warnings.length > 0) && (
        <ul class="findings">
          {[...groups].map(([code, rows]) => (
            <Finding
              key={code}
              text={`Skipped: ${skippedText(code, rows.length)}`}
              more={rows.length - MAX_LINES}
            >
              {rows
                .slice(0, MAX_LINES)
                .map(
                  ({ line, detail }) =>
                    `${format.includes('csv') ? 'Line' : 'Entry'} ${line}: ${detail}`,
                )}
            </Finding>
          ))}
          {warnings.map(({ code, count, examples }) =>
            // The user may want to map the columns.
            code === 'unknown_column' ? (
              <li key={code}>
                {warningText(code, count)}: {examples.join(', ')}
                {count > examples.length && ` and ${formatNumber(count - examples.length)} more`}
              </li>
            ) : (
              <Finding key={code} text={warningText(code, count)} more={count - examples.length}>
                {examples}
              </Finding>
            ),
          )}
        </ul>
      )}
    </section>
  );
}

interface FindingProps {
  text: string;
  /** The number of examples that are not listed. */
  more?: number;
  children: readonly string[];
}

function Finding({ text, more = 0, children }: FindingProps) {
  if (children.length === 0) return <li>{text}</li>;
  return (
    <li>
      <details>
        <summary>{text}</summary>
        <ul class="examples">
          {children.map((each, i) => (
            <li key={i}>{each}</li>
          ))}
          {more > 0 && <li>and {formatNumber(more)} more</li>}
        </ul>
      </details>
    </li>
  );
}

interface ErrorsProps {
  failure: unknown;
  text: string;
  /** Whether the errors get the focus. */
  hasFocus: boolean;
  onRetry: () => void;
}

/** The reasons why a file cannot be imported, line by line. */
export function Errors({ failure, text, hasFocus, onRetry }: ErrorsProps): ComponentChildren {
  const problem = failure instanceof ApiError ? failure.problem : undefined;
  const errors = (problem?.errors ?? []).filter(({ line }) => line !== undefined);
  // The user chooses the meaning of a value.
  const lines = errors.filter(({ value }) => value === undefined);
  const isUnknown = lines.length < errors.length;
  const words = lines.length > 0 ? (problem?.detail ?? text) : text;
  // After a 401 the user may have signed in again.
  const isRetriable = !problem || isTemporary(failure) || isUnauthorized(failure);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (hasFocus) section.current?.focus();
  }, [hasFocus, failure]);
  const isAmbiguous = problem?.code === 'ambiguous_dates';
  return (
    <section ref={section} class="setting import-errors" aria-label="Errors" tabIndex={-1}>
      {(lines.length > 0 || !isUnknown) && (
        <p role="alert" class={isAmbiguous ? '' : 'field-error'}>
          {isAmbiguous
            ? 'The dates in the file are ambiguous. Choose the date order below.'
            : words}
        </p>
      )}
      {isUnknown && (
        <p role="alert">Some statuses or priorities are unknown. Choose what they mean below.</p>
      )}
      {lines.length > 0 && (
        <Table
          isText
          name={isAmbiguous ? 'Dates' : 'Errors by line'}
          head={['Line', isAmbiguous ? 'Possible dates' : 'Error']}
          rows={lines.slice(0, MAX_LINES).map(({ line, detail }, i) => ({
            key: i,
            cells: [formatNumber(line ?? 0), detail],
          }))}
        />
      )}
      {lines.length > MAX_LINES && (
        <p class="note">and {formatNumber(lines.length - MAX_LINES)} more.</p>
      )}
      {isRetriable && (
        <div class="actions">
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </section>
  );
}

interface DoneProps {
  answer: Answer;
  /** The name of the board. */
  name: string;
  onAgain: () => void;
}

/** What an import has done. */
export function Done({ answer, name, onAgain }: DoneProps) {
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
