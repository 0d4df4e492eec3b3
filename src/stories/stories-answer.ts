import type { Readable } from 'node:stream';
import type { Reader } from '../database/reader';
import { Answer } from '../http/responses/answer';
import { revisionOf } from '../http/responses/board-revision';
import { PART_LENGTH } from '../http/responses/parts';
import { keepingBytes, readableOf } from '../http/responses/stream';
import { TimeSlice } from '../time/time-slice';
import { descriptionLength, withDescriptions } from './brief-story.queries';

/** Maximum characters of the descriptions of a response that is written at once. */
const AT_ONCE = 1024 * 1024;

/** The response of a change to many stories. If it is long, it is sent in parts, which the descriptions are read for. */
export class StoriesAnswer extends Answer {
  readonly etag = undefined;
  readonly revision: number | undefined;

  /**
   * @param result of the change, marked with the revision of its board
   * @param items the stories of the result, and perhaps other resources
   * @param begin the JSON before the items
   * @param end the JSON after the items
   */
  constructor(
    private readonly reader: Reader,
    result: object,
    private readonly items: readonly object[],
    private readonly begin = '[',
    private readonly end = ']',
  ) {
    super();
    this.revision = revisionOf(result);
  }

  async open(): Promise<string | Readable> {
    const { items, begin, end } = this;
    if (descriptionLength(items) > AT_ONCE) {
      return keepingBytes(await readableOf(this.parts()), sizeOf(items));
    }
    return `${begin}${items.map((item) => JSON.stringify(item)).join(',')}${end}\n`;
  }

  private async *parts(): AsyncGenerator<string> {
    const { reader, items, begin, end } = this;
    const timeSlice = new TimeSlice();
    let part = begin;
    let separator = '';
    for await (const item of withDescriptions(reader, items)) {
      part += separator + JSON.stringify(item);
      separator = ',';
      await timeSlice.pause();
      if (part.length < PART_LENGTH) continue;
      yield part;
      part = '';
    }
    yield `${part}${end}\n`;
  }
}

/** Bytes of an object without its strings, about. */
const OBJECT_BYTES = 1024;

/** The memory that resources take, about. */
const sizeOf = (resources: readonly object[]): number =>
  resources.reduce((sum, resource) => {
    const strings = Object.values(resource)
      .flat()
      .filter((value) => typeof value === 'string');
    return strings.reduce((size, text) => size + Buffer.byteLength(text), sum + OBJECT_BYTES);
  }, 0);
