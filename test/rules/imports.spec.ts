import type { Import } from '../support/sources';
import { importsOf, sources } from '../support/sources';

const files = sources();
const imports = files.flatMap(importsOf);
const paths = new Set(files.map(({ path }) => path));

const isOurs = ({ to }: Import): boolean => paths.has(to);
const roomOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : '');
const is = (kind: string) => (path: string) => path.endsWith(`.${kind}.ts`);
const isController = is('controller');
const isEntity = is('entity');
const isModule = is('module');
const isDto = is('dto');

/** What every room may use. */
const FLOOR = ['common', 'database'];
/** Rooms that are a way into the program, or a way to look at it, and no part of what it is about. */
const DOORS = ['', 'cli', 'health', 'metrics'];
/** Calls between services go down this list, never up. */
const ORDER = ['completion', 'sprints', 'stories', 'tasks', 'boards', 'events'];

/** The imports that break a rule, as texts. */
const breaking = (rule: (found: Import) => boolean): string[] =>
  imports.filter(rule).map(({ from, to }) => `${from} imports ${to}`);

describe('who may import whom', () => {
  it('every import within the program names a file of it', () => {
    expect(
      imports.filter(({ to }) => to.endsWith('.ts') && !paths.has(to)).map(({ to }) => to),
    ).toEqual([]);
    expect(imports.filter(isOurs).length).toBeGreaterThan(200);
  });

  it('nothing imports itself by a detour', () => {
    expect(cycles(imports.filter(isOurs))).toEqual([]);
    const detour: Import[] = [
      { from: 'a.ts', to: 'b.ts', typeOnly: false, names: [] },
      { from: 'b.ts', to: 'c.ts', typeOnly: true, names: [] },
      { from: 'c.ts', to: 'a.ts', typeOnly: false, names: [] },
    ];
    expect(cycles(detour)).toEqual(['a.ts > b.ts > c.ts > a.ts']);
  });

  it('what every room uses knows no room', () => {
    expect(
      breaking(
        ({ from, to }) =>
          roomOf(from) === 'common' && paths.has(to) && ![...FLOOR, ''].includes(roomOf(to)),
      ),
    ).toEqual([]);
    // The registry has all entities, and a change appends events.
    expect(
      breaking(
        ({ from, to }) =>
          roomOf(from) === 'database' &&
          paths.has(to) &&
          ![...FLOOR, ''].includes(roomOf(to)) &&
          !(from === 'database/registry.ts' && isEntity(to)) &&
          to !== 'events/event.ts',
      ),
    ).toEqual([]);
    expect(
      breaking(({ from }) => from === 'config.ts').filter((text) => !/ node:/.test(text)),
    ).toEqual([]);
  });

  it('nothing but a door imports a door, and nothing but the list of rooms a module', () => {
    expect(
      breaking(
        ({ from, to }) =>
          paths.has(to) &&
          DOORS.includes(roomOf(to)) &&
          to !== 'config.ts' &&
          !DOORS.includes(roomOf(from)),
      ),
    ).toEqual([]);
    expect(
      breaking(({ from, to }) => isModule(to) && !isModule(from) && !DOORS.includes(roomOf(from))),
    ).toEqual([]);
    expect(breaking(({ from, to }) => isController(to) && !isModule(from))).toEqual([]);
  });

  it('controllers know services and bodies, and no database', () => {
    const rooms = ({ from }: Import): boolean =>
      isController(from) && !DOORS.includes(roomOf(from));
    expect(imports.some(rooms)).toBe(true);
    expect(
      breaking(
        (found) =>
          rooms(found) &&
          // The door brings them together: what completes a sprint knows nothing of reports.
          found.to !== 'reports/report.queries.ts' &&
          (/^(typeorm|@nestjs\/typeorm)$/.test(found.to) ||
            isEntity(found.to) ||
            is('queries')(found.to) ||
            roomOf(found.to) === 'database'),
      ),
    ).toEqual([]);
  });

  it('entities know entities and TypeORM', () => {
    expect(
      breaking(
        ({ from, to, typeOnly }) =>
          isEntity(from) &&
          to !== 'typeorm' &&
          !isEntity(to) &&
          !(typeOnly && [roomOf(from), 'common'].includes(roomOf(to))),
      ),
    ).toEqual([]);
  });

  it('what decides knows nothing of HTTP', () => {
    // A file that only controllers use is a part of their door.
    const isOfADoor = (path: string): boolean => {
      const users = imports.filter(({ to }) => to === path);
      const doors = users.every(({ from }) => isController(from) || isModule(from));
      return users.some(({ from }) => isController(from)) && doors && !is('service')(path);
    };
    const decides = (path: string): boolean =>
      !isOfADoor(path) &&
      ([...ORDER, 'reports', 'database'].includes(roomOf(path)) || is('service')(path)) &&
      ![isController, isModule, isDto, is('guard'), is('interceptor')].some((kind) => kind(path));
    expect(files.filter(({ path }) => decides(path)).length).toBeGreaterThan(20);
    expect(
      breaking(
        ({ from, to }) =>
          decides(from) &&
          (/^(fastify|@fastify\/.*|@nestjs\/(platform-fastify|swagger|core)|node:http)$/.test(to) ||
            isController(to)),
      ),
    ).toEqual([]);
    const exceptions = imports.filter(
      ({ to, names }) =>
        to === '@nestjs/common' && names.some((name) => name.endsWith('Exception')),
    );
    expect(exceptions.map(({ from }) => from)).toEqual(
      exceptions.map(({ from }) => from).filter((from) => from === 'common/problem.filter.ts'),
    );
  });

  it('services call down the list of rooms: completion, sprints, stories, tasks, boards, events', () => {
    const rank = (path: string): number => ORDER.indexOf(roomOf(path));
    expect(
      breaking(
        ({ from, to }) =>
          is('service')(to) && rank(from) >= 0 && rank(to) >= 0 && rank(to) < rank(from),
      ),
    ).toEqual([]);
  });

  it('nothing that changes the log knows who reads it', () => {
    expect(
      breaking(
        ({ from, to }) =>
          roomOf(to) === 'reports' &&
          roomOf(from) !== 'reports' &&
          !DOORS.includes(roomOf(from)) &&
          !isController(from) &&
          !isModule(from),
      ),
    ).toEqual([]);
  });

  it('TypeORM is for entities and for the database', () => {
    expect(
      breaking(
        ({ from, to }) =>
          /^(typeorm|@nestjs\/typeorm)$/.test(to) && !isEntity(from) && roomOf(from) !== 'database',
      ),
    ).toEqual([]);
  });

  it('drivers and their errors are known in the database alone', () => {
    expect(
      breaking(({ from, to }) => /^(libsql|mysql2)/.test(to) && roomOf(from) !== 'database'),
    ).toEqual([]);
  });

  it('the environment is read by Config, once', () => {
    const readers = files.filter(({ text }) =>
      text.replaceAll('Config.from(process.env)', '').includes('process.env'),
    );
    expect(readers.map(({ path }) => path)).toEqual([]);
  });
});

/** Paths that come back to where they began. */
function cycles(edges: Import[]): string[] {
  const next = new Map<string, Import[]>();
  for (const edge of edges) next.set(edge.from, [...(next.get(edge.from) ?? []), edge]);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) found.push([...trail.slice(at), path].join(' > '));
    if (at >= 0 || done.has(path)) return;
    for (const { to } of next.get(path) ?? []) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const path of next.keys()) visit(path, []);
  return found;
}
