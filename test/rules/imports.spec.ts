import type { Import } from '../support/sources';
import { importsOf, sources } from '../support/sources';

const files = sources();
const imports = files.flatMap(importsOf);
const paths = new Set(files.map(({ path }) => path));

const isOurs = ({ to }: Import): boolean => paths.has(to);
const folderOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : '');
const is = (kind: string) => (path: string) => path.endsWith(`.${kind}.ts`);
const isController = is('controller');
const isEntity = is('entity');
const isModule = is('module');

/** Folders of interfaces and operations; only these folders may import each other. */
const INTERFACES = ['', 'cli', 'health', 'metrics', 'openapi'];

/** A file imports only from folders of its own level or a later one. */
const LEVELS = [
  INTERFACES,
  ['transfer'],
  ['completion'],
  ['reports'],
  ['sprints'],
  ['stories'],
  ['tasks'],
  ['boards', 'auth', 'events'],
  ['database', 'http'],
  ['time', 'config', 'logging'],
];
const levelOf = (path: string): number =>
  isController(path) ? 0 : LEVELS.findIndex((folders) => folders.includes(folderOf(path)));

/** Lists the imports that break a rule. */
const breaking = (rule: (found: Import) => boolean): string[] =>
  imports.filter(rule).map(({ from, to }) => `${from} imports ${to}`);

describe('imports', () => {
  it('name existing files', () => {
    expect(breaking(({ to }) => to.endsWith('.ts') && !paths.has(to))).toEqual([]);
    expect(imports.filter(isOurs).length).toBeGreaterThan(200);
  });

  it('have no cycles', () => {
    expect(cycles(imports.filter(isOurs))).toEqual([]);
    const sample: Import[] = [
      { from: 'a.ts', to: 'b.ts', typeOnly: false, names: [] },
      { from: 'b.ts', to: 'c.ts', typeOnly: true, names: [] },
      { from: 'c.ts', to: 'a.ts', typeOnly: false, names: [] },
    ];
    expect(cycles(sample)).toEqual(['a.ts > b.ts > c.ts > a.ts']);
  });

  it('go from interfaces to resources to the database, never back', () => {
    const unknown = new Set(files.map(({ path }) => folderOf(path)));
    for (const folder of LEVELS.flat()) unknown.delete(folder);
    expect([...unknown]).toEqual([]);
    expect(
      breaking(
        (found) =>
          isOurs(found) &&
          // Entities may refer to each other, and `Change` appends events.
          !isEntity(found.to) &&
          !(found.from === 'database/change.ts' && found.to === 'events/event.ts') &&
          !isModule(found.from) &&
          levelOf(found.to) < levelOf(found.from),
      ),
    ).toEqual([]);
  });

  it('of controllers are only in modules, imports of modules only in modules and interfaces', () => {
    expect(
      breaking(
        ({ from, to }) => isModule(to) && !isModule(from) && !INTERFACES.includes(folderOf(from)),
      ),
    ).toEqual([]);
    expect(breaking(({ from, to }) => isController(to) && !isModule(from))).toEqual([]);
  });

  it('of the database and TypeORM are in services, not in controllers', () => {
    const rule = ({ from, to, typeOnly }: Import): boolean =>
      isController(from) &&
      !INTERFACES.includes(folderOf(from)) &&
      (/^(typeorm|@nestjs\/typeorm)$/.test(to) ||
        isEntity(to) ||
        (is('queries')(to) && !typeOnly) ||
        folderOf(to) === 'database');
    expect(imports.some(({ from }) => isController(from))).toBe(true);
    expect(breaking(rule)).toEqual([]);
  });

  it('of Body and Query are from http/input/parameters, where the InputGuard finds them', () => {
    const nests = imports.filter(
      ({ to, names }) =>
        to === '@nestjs/common' && names.some((name) => ['Body', 'Query'].includes(name)),
    );
    expect(nests.map(({ from }) => from)).toEqual(['http/input/parameters.ts']);
  });

  it('in entities are of other entities, TypeORM and their own folder', () => {
    expect(
      breaking(
        ({ from, to, typeOnly }) =>
          isEntity(from) &&
          to !== 'typeorm' &&
          !isEntity(to) &&
          folderOf(from) !== folderOf(to) &&
          !(typeOnly && folderOf(to) === 'http'),
      ),
    ).toEqual([]);
  });

  it('of HTTP libraries are in http, guards and interfaces, not in services', () => {
    const knowsNoHttp = (path: string): boolean =>
      is('service')(path) || is('queries')(path) || folderOf(path) === 'database';
    expect(
      breaking(
        ({ from, to }) =>
          knowsNoHttp(from) &&
          /^(fastify|@fastify\/.*|@nestjs\/(platform-fastify|swagger|core)|node:http)$/.test(to),
      ),
    ).toEqual([]);
    const exceptions = imports.filter(
      ({ to, names }) =>
        to === '@nestjs/common' && names.some((name) => name.endsWith('Exception')),
    );
    expect(exceptions.map(({ from }) => from)).toEqual(['http/problem.filter.ts']);
  });

  it('of database drivers are in the database folder only', () => {
    expect(
      breaking(({ from, to }) => /^(libsql|mysql2)/.test(to) && folderOf(from) !== 'database'),
    ).toEqual([]);
  });
});

it('only Config reads the environment', () => {
  const readers = files.filter(({ text }) =>
    text
      .replaceAll('Config.from(process.env)', '')
      .replaceAll(`process.env.TZ = 'UTC'`, '')
      .includes('process.env'),
  );
  expect(readers.map(({ path }) => path)).toEqual([]);
});

/** Finds the cycles of a graph. */
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
