import {
  Tokenizer,
  TokenizerError,
  TokenParser,
  TokenParserError,
  TokenType,
} from '@streamparser/json';
import type { Readable } from 'node:stream';
import type { FieldErrorCode } from '../../http/problem';
import { isObject } from '../../http/validation/collections';
import { InvalidFile, invalidLine } from './invalid-file';
import { slicesOf } from './slices';
import { Utf8Check } from './utf8';

/** Brackets within brackets. Documents of Jira nest deepest, about 30 levels for lists in tables. */
const MAX_DEPTH = 64;
/** Bytes of one string, which may be an attachment in base64. */
const MAX_STRING_BYTES = 16 * 1024 * 1024;
/**
 * Brackets, strings, numbers and punctuation of one entry, which is read without a pause. A Jira issue with hundreds of
 * comments, or a page of 100 GitHub issues, has fewer than 100,000.
 */
const MAX_ENTRY_TOKENS = 200_000;
const MAX_ENTRIES = 200_000;

export interface JsonToken {
  token: TokenType;
  value: string | number | boolean | null;
  /** Brackets that are open after this token. */
  depth: number;
}

/** Splits JSON into tokens, and names the line of an error. */
export class JsonTokens {
  private readonly tokenizer = new Tokenizer({
    stringBufferSize: 64 * 1024,
    numberBufferSize: 1024,
  });
  private readonly utf8 = new Utf8Check();
  private slice: Buffer = Buffer.alloc(0);
  /** Bytes before the current slice. */
  private read = 0;
  private line = 1;
  /** Where the current line begins. */
  private lineStart = 0;
  private tokenStart = 0;
  private depth = 0;

  constructor(onToken: (token: JsonToken) => void) {
    this.tokenizer.onToken = ({ token, value, offset }) => {
      this.tokenStart = offset;
      if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.depth += 1;
      if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.depth -= 1;
      if (this.depth > MAX_DEPTH) {
        throw this.error(offset, `brackets nest deeper than ${MAX_DEPTH} levels`, 'too_deep');
      }
      if (this.depth < 0) throw this.error(offset, 'this is not valid JSON', 'malformed');
      onToken({ token, value: value, depth: this.depth });
    };
  }

  /** @throws InvalidFile */
  write(slice: Buffer): void {
    this.slice = slice;
    this.utf8.write(slice);
    this.attempt(() => this.tokenizer.write(slice));
    for (let at = slice.indexOf(10); at >= 0; at = slice.indexOf(10, at + 1)) {
      this.line += 1;
      this.lineStart = this.read + at + 1;
    }
    this.read += slice.length;
    if (this.read - this.tokenStart > MAX_STRING_BYTES) {
      throw this.error(this.tokenStart, 'a value has more than 16 MiB', 'too_long');
    }
  }

  /** @throws InvalidFile if the JSON is not complete */
  end(): void {
    this.slice = Buffer.alloc(0);
    if (this.read === 0) throw new InvalidFile('The file is empty.');
    const cut = this.error(this.read, 'the file ends in the middle; export it again', 'cut');
    if (this.depth > 0) throw cut;
    this.attempt(
      () => this.complete(),
      () => cut,
    );
  }

  /** The error of too many entries or values, at the latest token. */
  tooMany(what: string): InvalidFile {
    return this.error(this.tokenStart, what, 'too_many');
  }

  /** Ends the JSON: only white space may follow. */
  complete(): void {
    if (!this.tokenizer.isEnded) this.tokenizer.end();
  }

  private attempt(
    work: () => void,
    unexpected = (error: TokenizerError) => this.malformed(error),
  ): void {
    try {
      work();
    } catch (error) {
      if (error instanceof TokenizerError) throw unexpected(error);
      if (error instanceof TokenParserError) {
        throw this.error(this.tokenStart, 'this is not valid JSON', 'malformed');
      }
      throw error;
    }
  }

  private malformed({ message }: TokenizerError): InvalidFile {
    const [, at] = /absolute position "(\d+)"/.exec(message) ?? [];
    return this.error(Number(at ?? this.read), 'this is not valid JSON', 'malformed');
  }

  private error(position: number, what: string, code: FieldErrorCode): InvalidFile {
    // A token that began in an earlier slice is on the line on which this slice begins.
    let { line, lineStart } = this;
    const before = this.slice.subarray(0, Math.max(0, position - this.read));
    for (let at = before.indexOf(10); at >= 0; at = before.indexOf(10, at + 1)) {
      line += 1;
      lineStart = this.read + at + 1;
    }
    const byte = Math.max(1, position - lineStart + 1);
    const message = `On line ${line}, byte ${byte}: ${what}.`;
    return invalidLine(line, code, `byte ${byte}: ${what}`, message);
  }
}

/** The function that gets the entries at a path; entries are numbered from 1. */
type JsonEntries = Record<string, (value: unknown, number: number) => void>;

/**
 * Reads JSON as it arrives. It passes the values at some paths to functions, one by one, and does not keep the rest.
 * @param entries by their path: `$.cards.*` are the elements of the array `cards`, `$.*` those of a
 *   top-level array, `$` is a top-level object
 * @param several whether the file may have several values one after the other, such as an object a line
 * @throws InvalidFile if the input is not JSON, not complete, not UTF-8, or exceeds a limit
 */
export async function readJson(
  file: Readable,
  entries: JsonEntries,
  { several = false } = {},
): Promise<void> {
  const numbers = new Map<string, number>();
  /** For objects and for arrays, by their first token, because different paths begin in them. */
  const parsers = new Map<TokenType, TokenParser>();
  let parser: TokenParser | undefined;
  let entryDepth = 0;
  let tokensOfEntry = 0;

  const pathsIn = (first: TokenType): string[] =>
    Object.keys(entries).filter(
      (path) => path.startsWith('$.*') === (first === TokenType.LEFT_BRACKET),
    );
  const parserFor = (first: TokenType): TokenParser => {
    const created = new TokenParser({
      paths: pathsIn(first),
      keepStack: false,
      separator: several ? '' : undefined,
    });
    created.onValue = ({ value, key, stack }) => {
      const keys = stack.length === 0 ? [] : [...stack.slice(1).map((frame) => frame.key), key];
      const path = ['$', ...keys.map((part) => (typeof part === 'number' ? '*' : part))].join('.');
      const onEntry = entries[path];
      if (!onEntry) return;
      const number = (numbers.get(path) ?? 0) + 1;
      if (number > MAX_ENTRIES) {
        throw tokens.tooMany(`the list has more than ${MAX_ENTRIES} entries; split the file`);
      }
      numbers.set(path, number);
      tokensOfEntry = 0;
      onEntry(value, number);
    };
    created.onEnd = () => tokens.complete();
    return created;
  };

  const tokens = new JsonTokens(({ token, value, depth }) => {
    const isOpening = token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET;
    if (!parser || (depth === 1 && isOpening)) {
      parser = parsers.get(token) ?? parserFor(token);
      parsers.set(token, parser);
      entryDepth = Math.min(...pathsIn(token).map((path) => path.split('.').length - 1));
    }
    tokensOfEntry = depth > entryDepth ? tokensOfEntry + 1 : 0;
    if (tokensOfEntry > MAX_ENTRY_TOKENS) {
      throw tokens.tooMany('an entry has too many values');
    }
    parser.write({ token, value });
  });
  for await (const slice of slicesOf(file)) tokens.write(slice);
  tokens.end();
}

/** The fields of an object; none if it is something else. */
export const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The string; null if it is empty or something else. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** The strings of a list. */
export const textsOf = (value: unknown): string[] =>
  listOf(value).flatMap((item) => textOf(item) ?? []);
