import type { Theme } from '../report.dto';

/** The colours of a picture by role, the same as in the browser. No two are equal, so that a theme can replace each. */
export const COLOURS = {
  paper: '#ffffff',
  shade: '#f0f2f5',
  grid: '#e4e8ec',
  faint: '#8b949e',
  muted: '#59636e',
  ink: '#1f2328',
  accent: '#4454c9',
  soft: '#c5caf0',
};
const DARK: typeof COLOURS = {
  paper: '#1d1f24',
  shade: '#282b32',
  grid: '#30343c',
  faint: '#747a88',
  muted: '#a3a8b4',
  ink: '#e7e8ec',
  accent: '#8f9bff',
  soft: '#3a3f6b',
};
const roles = Object.keys(COLOURS) as (keyof typeof COLOURS)[];
const darkOf = new Map(roles.map((role) => [COLOURS[role], DARK[role]]));

/**
 * The style sheet of a picture with the theme `auto`: dark if the reader's browser prefers that. It is constant,
 * so that a content security policy can allow its hash.
 */
export const PICTURE_STYLE = `@media (prefers-color-scheme: dark) {${[...darkOf]
  .flatMap(([light, dark]) =>
    ['fill', 'stroke'].map((name) => `[${name}="${light}"]{${name}:${dark}}`),
  )
  .join('')}}`;

const FONT = `Inter, system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif`;

export interface Picture {
  width: number;
  height: number;
  /** Text for readers who cannot see the picture: one line, and a description with the numbers. */
  title: string;
  description: string;
  /** Elements of SVG in the colours of `COLOURS`. */
  content: string;
}

/** A picture as SVG. */
export function svg({ width, height, title, description, content }: Picture, theme: Theme): string {
  const drawn = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'font-family': FONT,
    },
    element('title', {}, escaped(title)) +
      element('desc', {}, escaped(description)) +
      (theme === 'auto' ? `<style>${PICTURE_STYLE}</style>` : '') +
      element('rect', { width, height, fill: COLOURS.paper }) +
      content,
  );
  if (theme !== 'dark') return drawn;
  return drawn.replace(
    /(fill|stroke)="(#[0-9a-f]{6})"/g,
    (_, name: string, colour: string) => `${name}="${darkOf.get(colour)}"`,
  );
}

export type Attributes = Record<string, string | number | undefined>;

/** Writes an element; the content must be SVG, and is not escaped. */
export function element(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    if (value === undefined) return '';
    return ` ${key}="${typeof value === 'number' ? rounded(value) : escaped(value)}"`;
  });
  const tag = name + written.join('');
  return content === '' ? `<${tag}/>` : `<${tag}>${content}</${name}>`;
}

/** A text. @param y its baseline */
export function text(x: number, y: number, content: string, attributes: Attributes = {}): string {
  return element(
    'text',
    { x, y, 'font-size': 12, fill: COLOURS.muted, ...attributes },
    escaped(content),
  );
}

/** A part of a text. */
export const tspan = (content: string, attributes: Attributes = {}): string =>
  element('tspan', attributes, escaped(content));

/** Attributes of a text that stays legible on top of lines. */
export const halo = { stroke: COLOURS.paper, 'stroke-width': 4, 'paint-order': 'stroke' } as const;
export const semibold = { 'font-weight': 600 } as const;
export const middle = { 'text-anchor': 'middle' } as const;
export const end = { 'text-anchor': 'end' } as const;

/** A position in pixels. */
export type Point = readonly [x: number, y: number];

/** A line through points. */
export const line = (points: readonly Point[], attributes: Attributes): string =>
  element('path', {
    d: path(points),
    fill: 'none',
    'stroke-linejoin': 'round',
    'stroke-linecap': 'round',
    ...attributes,
  });

/** A straight line. */
export const segment = (from: Point, to: Point, attributes: Attributes): string =>
  line([from, to], attributes);

/** The commands of a path through points. */
export const path = (points: readonly Point[]): string =>
  points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${rounded(x)},${rounded(y)}`).join('');

const rounded = (value: number): number => Math.round(value * 10) / 10;

// Characters that XML cannot contain, not even escaped.
const INVALID = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(value: string): string {
  return value.replace(INVALID, '\uFFFD').replace(/[&<>"]/g, (found) => ENTITIES[found] as string);
}

const DIRECTED = /[\u0590-\u08FF\u200E\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFF]/;

/** Isolates a name with right-to-left characters, so that it does not reorder the text beside it. */
export const isolated = (name: string): string =>
  DIRECTED.test(name) ? `\u2068${name}\u2069` : name;
