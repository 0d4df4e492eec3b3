import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { requestPicture } from '../api/client';
import { CUT_OFF, useAnswer, useSettled } from '../util/answer';
import { Button } from './controls';

const scheme = matchMedia('(prefers-color-scheme: dark)');
const theme = signal(scheme.matches ? 'dark' : 'light');
scheme.addEventListener('change', () => (theme.value = scheme.matches ? 'dark' : 'light'));

/** The widths that the service draws, and the step in which they follow the width of the window. */
const WIDTHS = { least: 360, most: 1600, step: 20 };

interface FigureProps {
  title: string;
  /** The accessible name of the picture. */
  name: string;
  /** The path and query of the report. */
  href: string;
  /** The revision of the board that is to be shown. */
  revision: number;
  /** The name of the files to download; without it none are offered. */
  file?: string;
  /** What stands above the picture. */
  words?: ComponentChildren;
  /** The numbers of the picture. */
  table: () => ComponentChildren;
}

/** A picture that the service draws, with its numbers as a table. */
export function Figure({ title, name, href, revision, file, words, table }: FigureProps) {
  const isTable = useSignal(false);
  return (
    <section class="figure" aria-label={title}>
      <div class="figure-head">
        <h2>{title}</h2>
        <span class="spring" />
        {file && <Downloads href={href} file={file} formats={['csv', 'svg', 'png']} />}
        <Button
          kind="quiet"
          aria-pressed={isTable.value}
          onClick={() => (isTable.value = !isTable.value)}
        >
          {isTable.value ? 'Show as picture' : 'Show as table'}
        </Button>
      </div>
      {words}
      {isTable.value ? table() : <Picture name={name} href={href} revision={revision} />}
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

/** The picture in the width of its place and in the colours of the page. */
function Picture({ name, href, revision }: { name: string; href: string; revision: number }) {
  const place = useRef<HTMLDivElement>(null);
  const room = useSignal(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = (): void => {
      const { least, most, step } = WIDTHS;
      const width = Math.floor(element.clientWidth / step) * step;
      room.value = Math.max(least, Math.min(most, width));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const width = useSettled(room.value, 200) || room.value;
  const path = width ? withQuery(href, { width: String(width), theme: theme.value }) : null;
  // An address would be drawn from the cache of the browser after a change.
  const { data, isCutOff } = useAnswer(
    async () => (path ? requestPicture(path) : null),
    [path, revision],
  );
  const [, drawnWidth, drawnHeight] = /width="(\d+)" height="(\d+)"/.exec(data ?? '') ?? [];
  return (
    // The place is kept free until the picture is there.
    <div ref={place} class="picture" style={{ minHeight: data ? '' : '300px' }}>
      {data && (
        <img
          src={`data:image/svg+xml,${encodeURIComponent(data)}`}
          alt={name}
          width={drawnWidth}
          height={drawnHeight}
        />
      )}
      {!data && isCutOff && <p class="empty">{CUT_OFF}</p>}
    </div>
  );
}

/** A path with more parameters. */
export function withQuery(href: string, parameters: Record<string, string>): string {
  const [path = '', query] = href.split('?');
  return `${path}?${new URLSearchParams([...new URLSearchParams(query), ...Object.entries(parameters)])}`;
}
