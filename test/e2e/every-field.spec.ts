import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useApp } from '../support/app';
import { boardPath, freshName, made2xx, Workspace } from '../support/make';
import { upload } from '../support/upload';

// The fields are read from the OpenAPI document, so that a new field is tested in every operation that writes
// or reads the resource.

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  type?: string | string[];
  enum?: string[];
  minimum?: number;
  maximum?: number;
  format?: string;
  properties?: Record<string, Schema>;
}

const { schemas } = (
  JSON.parse(readFileSync(join(__dirname, '../../openapi.json'), 'utf8')) as {
    components: { schemas: Record<string, Schema> };
  }
).components;

/** Follows the reference of an enumeration, which is in `anyOf` if the field is nullable. */
function resolved(schema: Schema): Schema {
  const { $ref } = schema.anyOf?.[0] ?? schema;
  return $ref ? (schemas[$ref.split('/').pop() ?? ''] as Schema) : schema;
}

/** Returns a value of a field; variant 2 differs from variant 1. */
function valueOf(name: string, schema: Schema, variant: 1 | 2): unknown {
  const { type = [], format, enum: words, minimum = 0, maximum = Infinity } = resolved(schema);
  if (words) return words[words.length - variant];
  if (format === 'date') return `2026-12-${name === 'start_date' ? '0' : '2'}${variant}`;
  const types = [type].flat();
  if (types.includes('array')) return [`${name}, ${variant}`];
  if (types.includes('integer')) return (maximum < 12 ? minimum : 10) + variant;
  if (types.includes('number')) return 0.5 + variant;
  return `${name} ${variant}`;
}

/** Returns a value for every writable field; both variants have the same `external_id`. */
const fieldsOf = (resource: string, variant: 1 | 2): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schemas[`Create${resource}`]?.properties ?? {}).map(([name, schema]) => [
      name,
      name === 'external_id' ? `${resource}-1` : valueOf(name, schema, variant),
    ]),
  );

const service = useApp();
let board: Workspace;
let sprint: { id: number };
let story: { id: number };
let task: { id: number };
beforeAll(async () => {
  board = await Workspace.create(service.client);
  sprint = await board.sprint('2026-12-01', fieldsOf('Sprint', 1));
  story = await board.story(sprint, fieldsOf('Story', 1));
  task = await board.task(story, fieldsOf('Task', 1));
}, 60_000);

const resources = [
  ['Sprint', () => sprint, () => `/api/sprints/${sprint.id}`],
  ['Story', () => story, () => `/api/stories/${story.id}`],
  ['Task', () => task, () => `/api/tasks/${task.id}`],
] as const;

const exportOf = async (name: string, log = false): Promise<string> =>
  (await service.client.get(`${boardPath(name)}/export?log=${log}`)).text;

/** Imports a file into a board. */
const send = (name: string, text: string, type = 'application/x-ndjson'): Promise<any> =>
  made2xx(upload(service.client, name, text, { type }));

/** Returns the only row of each kind of a board, from its export. */
async function rowsOf(name: string): Promise<Record<string, unknown>> {
  const lines = (await exportOf(name)).trimEnd().split('\n').slice(1, -1);
  return Object.assign({}, ...lines.map((line) => JSON.parse(line) as object)) as object as Record<
    string,
    unknown
  >;
}

const allFields = (variant: 1 | 2): object => ({
  sprint: expect.objectContaining(fieldsOf('Sprint', variant)) as object,
  story: expect.objectContaining(fieldsOf('Story', variant)) as object,
  task: expect.objectContaining(fieldsOf('Task', variant)) as object,
});

describe.each(resources)('every field of a resource: %s', (resource, created, path) => {
  it('is stored, and is in the event of the creation', async () => {
    const fields = fieldsOf(resource, 1);
    expect(created()).toMatchObject(fields);
    expect((await service.client.get(path())).body).toMatchObject(fields);
    const events = await board.events();
    const type = `${resource.toLowerCase()}.created`;
    expect(events.find((event) => event.type === type)?.after).toMatchObject(fields);
  });

  it('can be changed by itself, and is in the event of the update', async () => {
    const { external_id: _, ...fields } = fieldsOf(resource, 2);
    const before = fieldsOf(resource, 1);
    for (const [name, value] of Object.entries(fields)) {
      const after = await made2xx(service.client.put(path(), { [name]: value }));
      expect([name, after[name]]).toEqual([name, value]);
      const event = (await board.events()).at(-1);
      expect(event.after).toMatchObject({ [name]: value });
      await made2xx(service.client.put(path(), { [name]: before[name] }));
    }
  });
});

describe('every field of sprints, stories and tasks', () => {
  it('is in an export without its log, and imported from it', async () => {
    const name = freshName('Copied');
    await send(name, await exportOf(board.name));
    expect(await rowsOf(name)).toEqual(allFields(1));
  });

  it('is in an export with its log, and restored from it', async () => {
    const name = freshName('Restored');
    await send(name, await exportOf(board.name, true));
    expect(await rowsOf(name)).toEqual(allFields(1));
  });
});

describe('every field of a story', () => {
  it('identifies it in an import, so that it gets its tasks even without an external id', async () => {
    const { external_id: _, ...fields } = fieldsOf('Story', 1);
    const other = await Workspace.create(service.client);
    for (const title of ['one', 'another']) {
      await other.task(await other.story(null, fields), { title });
    }
    const name = freshName('Tasks');
    const { created } = await send(name, await exportOf(other.name));
    expect(created).toMatchObject({ stories: 2, tasks: 2 });
    const { body } = await service.client.get(`${boardPath(name)}/backlog`);
    for (const { id } of body) {
      expect((await service.client.get(`/api/stories/${id}/tasks`)).body).toHaveLength(1);
    }
  });

  const csvOf = async (name: string): Promise<string> =>
    (await service.client.get(`${boardPath(name)}/stories?format=csv`)).text;

  it('is in a list as CSV, and imported from it', async () => {
    const csv = await csvOf(board.name);
    const columns = (csv.split('\r\n')[0] as string).split(',');
    expect(columns).toEqual(expect.arrayContaining(Object.keys(fieldsOf('Story', 1))));
    const name = freshName('Table');
    await send(name, csv, 'text/csv');
    expect((await rowsOf(name)).story).toMatchObject(fieldsOf('Story', 1));
  });

  it('is updated by an import', async () => {
    const other = await Workspace.create(service.client);
    await other.story(null, fieldsOf('Story', 2));
    for (const [file, type] of [
      [await exportOf(other.name), 'application/x-ndjson'],
      [await csvOf(other.name), 'text/csv'],
    ] as const) {
      const name = freshName('Updated');
      await Workspace.named(service.client, name).story(null, fieldsOf('Story', 1));
      const { updated } = await send(name, file, type);
      expect(updated.stories).toBe(1);
      expect((await rowsOf(name)).story).toMatchObject(fieldsOf('Story', 2));
    }
  });

  it('is cleared by an import, if it is nullable', async () => {
    const nullable = Object.entries(schemas.CreateStory?.properties ?? {})
      .filter(
        ([name, { type = [], anyOf = [] }]) =>
          [{ type }, ...anyOf].some((each) => each.type?.includes('null')) &&
          !['seq', 'external_id'].includes(name),
      )
      .map(([name]) => [name, null]);
    const empty = { title: 'title', external_id: 'Story-1', ...Object.fromEntries(nullable) };
    const other = await Workspace.create(service.client);
    await other.story(null, empty);
    for (const [file, type] of [
      [await exportOf(other.name), 'application/x-ndjson'],
      [await csvOf(other.name), 'text/csv'],
    ] as const) {
      const name = freshName('Emptied');
      await Workspace.named(service.client, name).story(null, fieldsOf('Story', 1));
      await send(name, file, type);
      expect((await rowsOf(name)).story).toMatchObject(empty);
    }
  });
});
