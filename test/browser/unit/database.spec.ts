import { openDB } from 'idb';
import { readSnapshot } from '../../../web/src/state/changes/outbox';

jest.mock('idb');

const snapshot = {};
const database = { get: async () => snapshot } as any;
const openDatabase = jest.mocked(openDB);
const read = () => readSnapshot('Mei', 'rocket');

test('the database is opened again after it could not be opened, and after the browser has closed it', async () => {
  openDatabase.mockRejectedValueOnce(new Error('The disk is full.')).mockResolvedValue(database);
  expect(await read()).toBeUndefined();
  expect(await read()).toBe(snapshot);
  expect(await read()).toBe(snapshot);
  expect(openDatabase).toHaveBeenCalledTimes(2);
  openDatabase.mock.lastCall?.[2]?.terminated?.();
  expect(await read()).toBe(snapshot);
  expect(openDatabase).toHaveBeenCalledTimes(3);
});
