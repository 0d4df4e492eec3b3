import type { FastifyReply, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { readInSnapshot } from '../../src/http/responses/stream';

let isOpen: boolean;
let hasEnded: boolean;
beforeEach(() => (hasEnded = false));

function respond(read: () => Promise<AsyncGenerator<string>>, method = 'GET') {
  const snapshot = { query: jest.fn(), close: async () => void (isOpen = false) };
  const openStream = () => {
    isOpen = true;
    return Promise.resolve(snapshot);
  };
  const request = { method, ip: '192.0.2.7' } as FastifyRequest;
  const reply = { request, raw: new PassThrough() } as unknown as FastifyReply;
  const database = { openStream, read: <T>(attempt: () => Promise<T>) => attempt() };
  return readInSnapshot(database, reply, read) as Promise<Readable>;
}

async function* parts(): AsyncGenerator<string> {
  try {
    yield* ['a', 'b', 'c'];
  } finally {
    hasEnded = true;
  }
}

it('closes the snapshot of a response before the response ends', async () => {
  const response = await respond(async () => parts());
  expect(isOpen).toBe(true);
  const ended = once(response, 'end').then(() => isOpen);
  expect(await text(response)).toBe('abc');
  expect(await ended).toBe(false);
  expect(hasEnded).toBe(true);
});

it('closes the snapshot and ends the content if the client disconnects before it has read anything', async () => {
  const response = await respond(async () => parts());
  response.destroy();
  await once(response, 'close');
  expect({ isOpen, hasEnded }).toEqual({ isOpen: false, hasEnded: true });
});

it('closes the snapshot, and throws, if the first part cannot be read', async () => {
  const failing = async function* (): AsyncGenerator<string> {
    yield await Promise.reject<string>(new Error('no database'));
  };
  await expect(respond(async () => failing())).rejects.toThrow('no database');
  expect(isOpen).toBe(false);
});

it('reads no part for HEAD', async () => {
  expect(await text(await respond(async () => parts(), 'HEAD'))).toBe('');
  expect(isOpen).toBe(false);
});
