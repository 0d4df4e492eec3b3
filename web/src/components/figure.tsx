import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { requestPicture } from '../api/client';
import { useAnswer, useSettled } from '../util/answer';
import { Button } from './controls';
import { NoAnswer } from './no-answer';

const scheme = matchMedia('(prefers-color-scheme: dark)');
const theme = signal(scheme.matches ? 'dark' : 'light');
scheme.addEventListener('change', () => (theme.value = scheme.matches ? 'dark' : 'light'));

/** The widths that the service can draw, and the step between the widths that the page requests. */
const WIDTHS = { least: 360, most: 1600, step: 20 };

interface FigureProps {
  title: string;
  /** The accessible name of the picture. */
  name: string;
  /** The path and query of the report. */
  href: string;
  /** The result of `useReportInput`. */
  input: string;
  /** The name of the files to download; without it, there are no downloads. */
  file?: string;
  /** The content above the picture. */
  words?: ComponentChildren;
  /** Draws the numbers of the picture as a table. */
  table: () => ComponentChildren;
}

/** A picture that the service draws, with its numbers as a table. */
export function Figure({ title, name, href, input, file, words, table }: FigureProps) {
  const isTable = useSignal(false);
  return (
    <section class="figure" aria-label={title}>
      <div class="figure-head">
        <h2>{title}</h2>
        <span class="spring" />
        {file && <Downloads href={href} file={file} formats={['csv', 'svg', 'png']} />}
        <Button kind="quiet" onClick={() => (isTable.value = !isTable.value)}>
          {isTable.value ? 'Show as picture' : 'Show as table'}
        </Button>
      </div>
      {words}
      {isTable.value ? table() : <Picture name={name} href={href} input={input} />}
    </section>
  );
}

interface DownloadsProps {
  href: string;
  file: string;
  formats: readonly ('csv' | 'svg' | 'png')[];
}

/** Links to the files of a report. */
export function Downloads({ href, file, formats }: DownloadsProps) {
  return (
    <span class="downloads">
      {formats.map((format) => (
        <a
          key={format}
          class="button quiet"
          href={withQuery(href, { format })}
          download={`${file}.${format}`}
          aria-label={`${format.toUpperCase()} of ${file}`}
        >
          {format.toUpperCase()}
        </a>
      ))}
    </span>
  );
}

/** The picture in the width of its container and in the colours of the page. */
function Picture({ name, href, input }: { name: string; href: string; input: string }) {
  const container = useRef<HTMLDivElement>(null);
  const available = useSignal(0);
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const measure = (): void => {
      const { least, most, step } = WIDTHS;
      const width = Math.floor(element.clientWidth / step) * step;
      available.value = Math.max(least, Math.min(most, width));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const width = useSettled(available.value, 200) || available.value;
  const path = width ? withQuery(href, { width: String(width), theme: theme.value }) : null;
  // Requested as text, because the browser would draw a URL from its cache after a change.
  const answer = useAnswer(async () => (path ? requestPicture(path) : null), [path, input], href);
  const { data } = answer;
  const title = useMemo(() => data && titleOf(data), [data]);
  const [, drawnWidth, drawnHeight] = /width="(\d+)" height="(\d+)"/.exec(data ?? '') ?? [];
  return (
    // Until the picture is loaded, it has the height of a burndown in two columns.
    <div ref={container} class="picture" style={{ minHeight: data ? '' : '390px' }}>
      {data && (
        <img
          src={`data:image/svg+xml,${encodeURIComponent(data)}`}
          alt={`${name}: ${title}`}
          width={drawnWidth}
          height={drawnHeight}
        />
      )}
      {/* The view shows why the report itself was rejected. */}
      <NoAnswer {...answer} error={null} />
    </div>
  );
}

/** The title of an SVG, which says its main result. */
const titleOf = (data: string): string =>
  new DOMParser().parseFromString(data, 'image/svg+xml').querySelector('title')?.textContent ?? '';

/** Adds parameters to the query of a path. */
function withQuery(href: string, parameters: Record<string, string>): string {
  const [path = '', query] = href.split('?');
  return `${path}?${new URLSearchParams([...new URLSearchParams(query), ...Object.entries(parameters)])}`;
}
