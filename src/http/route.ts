import type { Scope } from './access';

/** The formats of answers, by the words that `?format=` has for them. */
export const MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  svg: 'image/svg+xml',
} as const;
export type Format = keyof typeof MEDIA_TYPES;

/** A text that is too long to be held in memory as a whole. */
export interface LongText {
  pieces: Iterable<string>;
  /** A short text that differs where the long one does, and only there. */
  essence: string;
}

/** How a body is put into a format. */
export interface Writing {
  write: (body: never) => string | Promise<string> | LongText;
  /**
   * What a client waits for, where other members are new each time: its tag is a weak one of that.
   * Nothing where the whole body tells.
   */
  essence?: (body: never) => object | undefined;
  /** Header fields of answers in this format. */
  headers?: Record<string, string>;
}

/** The formats that a route answers in, the one that is preferred first. */
export type Formats = Partial<Record<Format, Writing>>;

/** What a route tells the hooks of `app.setup`. */
export interface RouteSettings {
  /** Where the created resource is found. */
  location?: (body: { id: number; name: string }) => string;
  /** The media types that it answers in; application/json where it says nothing. */
  produces?: string[];
  /** Answered under pressure too: what tells how the service is. */
  always?: true;
  /** The answer to this POST is what a GET of the resource would read next, and is tagged like it. */
  tagged?: boolean;
  /** The formats that it answers in, where there are several. */
  formats?: Formats;
  /** What a token must allow; `public` asks for none. A route that does not say is not served. */
  scope?: Scope | 'public';
  /** Shows nothing of boards that the caller may not see, though its path names no board. */
  filtered?: boolean;
  /** Its answer must not be stored, so it cannot be repeated with an `Idempotency-Key`. */
  unrepeatable?: boolean;
}
