import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A hostile request. */
export interface Hostile {
  name: string;
  method: string;
  /** `{board}`, `{sprint}`, `{story}`, `{task}` stand for existing ones. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** The expected status; if it is missing, any error of the client is expected. */
  status?: number;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

const shown = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')).slice(0, 60);

/** Returns a request with a JSON body. */
const json = (
  name: string,
  method: string,
  path: string,
  body: unknown,
  status = 400,
): Hostile => ({
  name,
  method,
  path,
  headers: JSON_TYPE,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  status,
});

const get = (name: string, path: string, status?: number): Hostile => ({
  name,
  method: 'GET',
  path,
  status,
});

const NUL = '\0';
const LONE = ['\ud800', '\udfff', 'a\udc00b', '\ude00\ud83d'];
const NOT_TEXT: unknown[] = [5, true, [], ['x'], {}, { length: 3 }];
const BAD_TEXT = [NUL, `a${NUL}b`, ...LONE];
const NOT_INTEGERS: unknown[] = [
  true,
  '',
  ' ',
  '1 ',
  '1.0',
  '1e3',
  '0x10',
  '+1',
  '1_000',
  '1,000',
  '٣',
  '３',
  'NaN',
  'null',
  "1' OR '1'='1",
  [],
  [1],
  {},
  1.5,
  -0.5,
  1e300,
  2147483648,
  -2147483649,
  '2147483648',
  9007199254740992,
  '9'.repeat(400),
];
const NOT_DATES: unknown[] = [
  '',
  ' ',
  'x',
  'today',
  '2026',
  '2026-11',
  '2026-11-31',
  '2026-02-29',
  '2100-02-29',
  '2026-13-01',
  '2026-00-01',
  '2026-01-00',
  '2026-01-32',
  '0999-12-31',
  '0000-00-00',
  '10000-01-01',
  '-2026-01-01',
  '+2026-01-01',
  '2026-1-1',
  '26-01-01',
  '20260101',
  '2026/01/01',
  '01.01.2026',
  '2026-01-01T',
  '2026-01-01T24:00:00Z',
  '2026-01-01T10:60:00Z',
  '2026-01-01T10:00:00+25:00',
  '2026-01-01T10:00:00Z; DROP TABLE sprints',
  '2026-01-01 ',
  ' 2026-01-01',
  '2026-01-01\n',
  `2026-01-01${NUL}`,
  '２０２６-01-01',
  '2026‐01‐01',
  '2026-W01-1',
  '2026-001',
  20260101,
  true,
  [],
  {},
  null,
];

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  type?: string | string[];
  format?: string;
  enum?: string[];
  maxLength?: number;
  minLength?: number;
}

const { schemas } = (
  JSON.parse(readFileSync(join(__dirname, '../../openapi.json'), 'utf8')) as {
    components: { schemas: Record<string, Schema & { properties: Record<string, Schema> }> };
  }
).components;

/**
 * Invalid values of the fields of a body.
 * @param others those that do not follow from the schema: of fields with another type, or with other rules
 */
const badValues = (
  schema: string,
  others: Record<string, unknown[]> = {},
): Record<string, unknown[]> =>
  Object.fromEntries(
    Object.entries(schemas[schema]?.properties ?? {}).map(([name, field]) => {
      const values = [...badValuesOf(field), ...(others[name] ?? [])];
      if (values.length === 0) throw new Error(`${schema}.${name} has no hostile values`);
      return [name, values];
    }),
  );

function badValuesOf({ $ref, anyOf = [], ...schema }: Schema): unknown[] {
  // The schema of an enumeration has a name, and is in `anyOf` if the field is nullable.
  const reference = $ref ?? anyOf.find((each) => each.$ref)?.$ref;
  const words = reference && schemas[reference.split('/').pop() ?? '']?.enum;
  if (words) return badWords(words, anyOf.length > 0);
  const { type = [], format, maxLength, minLength } = schema;
  const types = [type].flat();
  if (types.includes('integer')) return NOT_INTEGERS;
  if (format === 'date') {
    return NOT_DATES.filter((value) => value !== null || !types.includes('null'));
  }
  if (maxLength === undefined) return [];
  const blank = minLength === undefined ? [] : [null, '', ' ', '\u3000\u00a0\t'];
  const long = ['x', '😀'].map((character) => character.repeat(maxLength + 1));
  return [...NOT_TEXT, ...BAD_TEXT, ...blank, ...long];
}

function badWords(words: readonly string[], isNullable: boolean): unknown[] {
  const similar = words.flatMap((word) => [word.toUpperCase(), ` ${word}`, `${word} `]);
  return [...NOT_TEXT, ...(isNullable ? [] : [null]), '', ...similar, words, 'x', '__proto__'];
}

/** For each kind of resource: paths to create and update it, a valid body, and invalid values of fields. */
const MEMBERS: [
  create: string | null,
  update: string,
  valid: object,
  bad: Record<string, unknown[]>,
][] = [
  [
    '/api/sprints/{sprint}/stories',
    '/api/stories/{story}',
    { title: 'x' },
    badValues('CreateStory', {
      points: [
        true,
        '',
        'x',
        '1,5',
        '1e2',
        'NaN',
        'Infinity',
        -0.01,
        1000.01,
        0.001,
        1e300,
        [],
        {},
        '0x1',
        '.5',
        '5.',
      ],
      labels: [
        'x',
        5,
        true,
        null,
        {},
        [5],
        [null],
        [''],
        [' '],
        [['x']],
        [NUL],
        LONE,
        ['a', 'a'],
        ['x'.repeat(51)],
        Array.from({ length: 21 }, (_, i) => `${i}`),
      ],
    }),
  ],
  [
    '/api/boards/{board}/sprints',
    '/api/sprints/{sprint}',
    { start_date: '2026-11-23' },
    badValues('CreateSprint'),
  ],
  ['/api/stories/{story}/tasks', '/api/tasks/{task}', { title: 'x' }, badValues('CreateTask')],
  [
    '/api/boards',
    '/api/boards/{board}',
    { name: 'never made' },
    badValues('CreateBoard', {
      name: ['.', '..', ' . ', 'a\nb', '\u0007', '\u007f', 'a\u0085b'],
      time_zone: [
        ...NOT_TEXT,
        null,
        '',
        'utc',
        '+02:00',
        'GMT+2',
        'Mars/Base',
        'Europe/Berlin ',
        'x'.repeat(10_000),
        '__proto__',
      ],
      working_days: [
        ...[null, true, 1, '', 'mon', {}, [], [[]], [1], [''], ['Mon'], ['monday'], ['mon', null]],
        ...[
          ['mon', 'mon'],
          ['mon', 'holiday'],
        ],
      ],
    }),
  ],
  [
    null,
    '/api/stories/{story}',
    {},
    { sprint_id: [true, '', 'x', 1.5, 0, -1, 999_999_999, 9007199254740992, [], [1], {}] },
  ],
];

const members = MEMBERS.flatMap(([create, update, valid, bad]) =>
  Object.entries(bad).flatMap(([member, values]) =>
    values.flatMap((value) => {
      const name = `${member} ${shown(value)}`;
      const made = create && json(`new ${name}`, 'POST', create, { ...valid, [member]: value });
      return [...(made ? [made] : []), json(name, 'PUT', update, { [member]: value })];
    }),
  ),
);

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  'title ',
  'Title',
  'TITLE',
  `title${NUL}`,
  'a.b',
  'a[b]',
  '$where',
  'title;',
  '😀',
  '0',
  'length',
  'then',
  'toJSON',
  "x' OR '1'='1",
  'x'.repeat(10_000),
  '/',
  '~',
  '~1',
  'board_id',
  'search',
  'done',
  '\ud800',
];
const unknownMembers = NAMES.flatMap((name) => [
  json(`member ${shown(name)}`, 'PUT', '/api/stories/{story}', { [name]: { a: 1 } }),
  json(`new member ${shown(name)}`, 'POST', '/api/boards/{board}/backlog', {
    title: 'x',
    [name]: 1,
  }),
]).filter(({ body }) => !/^\{(\}|"title":"x"\})$/.test(String(body)));

const readOnly = ['id', 'board_name', 'created_at', 'updated_at', 'done_at'].flatMap((name) =>
  [0, 'x', true, [], {}].map((value) =>
    json(`read-only ${name} ${shown(value)}`, 'PATCH', '/api/stories/{story}', { [name]: value }),
  ),
);

const BODIES = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '-',
  '{"title"}',
  '{"title":}',
  '{,}',
  '{"title":"x",}',
  '{"title":"x"}}',
  '{"title":"x"} x',
  `{"title":"x"}${NUL}`,
  NUL,
  "{'title':'x'}",
  '{title:"x"}',
  'title=x',
  '<title>x</title>',
  'NaN',
  'Infinity',
  'undefined',
  '{"seq":01}',
  '{"seq":.5}',
  '{"seq":5.}',
  '{"seq":0x1}',
  '{"seq":1e}',
  '{"seq":+1}',
  '{"title":"\n"}',
  '{"title":"\\x41"}',
  '{"title":"\\u00"}',
  '{"title":`x`}',
  '// x\n{}',
  '/**/{}',
  '{"title":tru}',
  '[]',
  '[{"title":"x"}]',
  '"title"',
  '5',
  'true',
  'null',
  '[[[[]]]]',
  '{"seq":1e400}',
  '{"seq":-1e400}',
  '{"points":1e-400,"x":1}',
  `{"seq":${'9'.repeat(1000)}}`,
  '{"__proto__":{"title":"x"}}',
  '{"constructor":{"prototype":{"title":"x"}}}',
  '{"title":"a","title":5}',
  '{"title":"\\ud800"}',
  '{"title":"\\udc00\\ud800"}',
  '{"title":"\\u0000"}',
  '{"labels":["\\udfff"]}',
  '{"\\ud800":1}',
  `{"x":${'['.repeat(32)}${']'.repeat(32)}}`,
  `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  '{"a":'.repeat(50_000),
  `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
  '['.repeat(500_000),
  JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`f${i}`, i]))),
  JSON.stringify({ labels: Array.from({ length: 50_000 }, (_, i) => `l${i}`) }),
  `{"title":"${'x'.repeat(1_000_000)}"}`,
];
const BYTES = [
  'ff',
  'feff007b007d',
  'fffe7b007d00',
  '7b22c0af223a317d',
  '7b22eda080223a317d',
  '7b22f4908080223a317d',
  '1f8b08000000000000ff',
  '000000',
  '7b227469746c65223a2278',
  '8000',
];
const bodies = [
  ...BODIES.map((body) => json(`body ${shown(body)}`, 'PUT', '/api/stories/{story}', body)),
  ...BODIES.slice(0, 40).map((body) =>
    json(`new from ${shown(body)}`, 'POST', '/api/sprints/{sprint}/stories', body),
  ),
  ...BYTES.flatMap((hex) =>
    [JSON_TYPE, FORM_TYPE].map((headers, i) => ({
      name: `bytes ${hex} ${i}`,
      method: 'PUT',
      path: '/api/stories/{story}',
      headers,
      body: Buffer.from(hex, 'hex'),
    })),
  ),
  json('a body of 3 MiB', 'PUT', '/api/stories/{story}', `{"title":"${'x'.repeat(3 << 20)}"}`, 413),
];

const FORMS = [
  'title=',
  'title=%00',
  'title=%',
  'title=%z',
  'title=%zz',
  'title=%FF',
  'title=%C0%80',
  'title=%ED%A0%80',
  'title=%u0041',
  'title=a&title=b',
  'title=a&title=a',
  'title=a;seq=b&seq=b',
  'title[]=a',
  'title[a]=b',
  'a[b][c]=d',
  'seq=1&seq=1',
  'seq=',
  'seq=+1',
  '=x',
  'x',
  '__proto__=1',
  '__proto__[x]=1',
  'constructor=1',
  'constructor[prototype][x]=1',
  'labels=a&labels=a',
  'labels=a&labels=',
  'labels[]=a',
  'points=1%2C5',
  'points=1e2',
  'status=',
  'status=done&status=todo',
  'sprint_id=x',
  'sprint_id=0',
  'id=0',
  '%00=1',
  'title%00=x',
  `title=${'x'.repeat(256)}`,
  Array.from({ length: 1001 }, (_, i) => `f${i}=1`).join('&'),
  Array.from({ length: 1000 }, () => 'title=x').join('&'),
];
const forms = FORMS.map((body) => ({
  name: `form ${shown(body)}`,
  method: 'PUT',
  path: '/api/stories/{story}',
  headers: FORM_TYPE,
  body,
  status: 400,
}));

const TYPES = [
  'text/plain',
  'text/html',
  'text/json',
  'application/xml',
  'application/jsonx',
  'application/json+x',
  'application/merge-patch+json',
  'application/octet-stream',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'image/svg+xml',
  '*/*',
  'application/*',
  'application/json, text/plain',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json; charset="x"',
  'application/x-www-form-urlencoded; charset=utf-7',
  'json',
  '/',
  ';',
  'application/',
  '__proto__',
  'x'.repeat(5000),
  'application/json\\u0000',
];
const types = [
  ...TYPES.map((type) => ({
    name: `type ${shown(type)}`,
    method: 'PUT',
    path: '/api/stories/{story}',
    headers: { 'content-type': type },
    body: '{"title":"x"}',
    status: 415,
  })),
  ...['gzip', 'br', 'deflate', 'compress', 'x', 'gzip, identity', '*'].map((encoding) => ({
    name: `encoding ${encoding}`,
    method: 'PUT',
    path: '/api/stories/{story}',
    headers: { ...JSON_TYPE, 'content-encoding': encoding },
    body: '{"title":"x"}',
    status: 415,
  })),
  {
    name: 'no type',
    method: 'PUT',
    path: '/api/stories/{story}',
    body: '{"title":"x"}',
    status: 415,
  },
];

const IDS = [
  '0',
  '-1',
  '+1',
  '01',
  '1.0',
  '1e0',
  '0x1',
  '1n',
  '1,0',
  '1_0',
  'x',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  'true',
  '[]',
  '{}',
  '٣',
  '%00',
  '1%00',
  '%20',
  '1%20',
  '%0A1',
  '1%0D%0A',
  '1;',
  "1'",
  "1'--",
  '1%20OR%201=1',
  '1;DROP%20TABLE%20stories',
  '1%2F2',
  '%2e%2e',
  '%252e',
  '2147483648',
  '4294967297',
  '9007199254740991',
  '9007199254740992',
  '9223372036854775808',
  '18446744073709551616',
  '9'.repeat(100),
  '-9'.repeat(50),
  '%F0%9F%98%80',
  '%EF%BC%91',
  '${7*7}',
  '{{7*7}}',
  '*',
  '%25',
  '__proto__',
  'constructor',
  'current',
];
const ids = IDS.flatMap((id) => [
  get(`story ${shown(id)}`, `/api/stories/${id}`, 404),
  get(`tasks of ${shown(id)}`, `/api/stories/${id}/tasks`, 404),
  json(`change of sprint ${shown(id)}`, 'PUT', `/api/sprints/${id}`, { goal: 'x' }, 404),
  json(`new story in ${shown(id)}`, 'POST', `/api/sprints/${id}/stories`, { title: 'x' }, 404),
  {
    name: `deletion of task ${shown(id)}`,
    method: 'DELETE',
    path: `/api/tasks/${id}`,
    status: 404,
  },
]);

const BOARD_NAMES = [
  '%00',
  '%01',
  '%0A',
  'x%0D%0ASet-Cookie:x',
  '%7F',
  '%C2%85',
  '%20',
  '%E3%80%80',
  '.%20',
  '%20..',
  'x'.repeat(101),
  '%F0%9F%98%80'.repeat(101),
  'x'.repeat(4000),
  "';DROP%20TABLE%20boards;--",
  '%22%20OR%201=1',
  '__proto__',
  'constructor',
  '%252e%252e',
  '..%2F..%2Fetc%2Fpasswd',
  '%3Cscript%3E',
  '*',
  '%EF%BB%BF',
  '%E2%80%AE',
  '%25',
  '%2B',
  'null',
  '${jndi:ldap:%2F%2Fx}',
];
const boardNames = BOARD_NAMES.flatMap((name) =>
  ['', '/sprints', '/backlog?limit=1', '/sprints/current', '/events'].map((rest) =>
    get(`board ${shown(name)}${rest}`, `/api/boards/${name}${rest}`, 404),
  ),
);
const madeBoards = BOARD_NAMES.slice(0, 12).map((name) =>
  json(`new board ${shown(name)}`, 'POST', `/api/boards/${name}/backlog`, { title: 'x' }),
);

const QUERIES = [
  'limit=0',
  'limit=-1',
  'limit=1001',
  'limit=x',
  'limit=',
  'limit=1.5',
  'limit=1e3',
  'limit=%00',
  'limit=1&limit=2',
  'limit=1&limit=',
  'limit[]=1',
  'limit[a]=1',
  'limit=99999999999999999999',
  'count=1',
  'count=yes',
  'count=',
  'sort=x',
  'sort=seq,',
  'sort=,',
  'sort=',
  'sort=-',
  'sort=--seq',
  'sort=%2Bseq',
  'sort=SEQ',
  'sort=seq%00',
  'sort=seq,seq',
  'sort=seq,-seq',
  'sort=seq;DROP%20TABLE%20stories',
  'sort=(SELECT%201)',
  'sort=search',
  'sort=board_id',
  `sort=${'seq,'.repeat(1500)}`,
  'fields=x',
  'fields=',
  'fields=id,id',
  'fields=id,,seq',
  'fields=__proto__',
  'fields=constructor',
  'fields=search',
  'fields=*',
  'status=x',
  'status=DONE',
  'status=done,todo',
  'priority=x',
  'priority=1.5',
  'priority=2147483648',
  'sprint_id=0',
  'sprint_id=x',
  'updated_since=x',
  'updated_since=',
  'updated_since=2026-02-30',
  'updated_since=0000-01-01T00:00:00Z',
  'updated_since=9999-12-31T23:59:59-23:59',
  'updated_since=2026-11-21T10:00:00',
  'updated_since=%00',
  'updated_since=2026-01-01&updated_since=x',
  'q=%00',
  'q=a&q=%00',
  'q=%',
  'q=%zz',
  'q=%FF',
  'q=%ED%A0%80',
  `q=${'x'.repeat(1001)}`,
  `assignee=${'x'.repeat(101)}`,
  'assignee=%00',
  'label=%00',
  `label=${'x'.repeat(51)}`,
  `external_id=${'x'.repeat(101)}`,
  Array.from({ length: 101 }, (_, i) => `label=${i}`).join('&'),
  'cursor=x',
  'cursor=',
  'cursor=%00',
  'cursor=AAAA',
  `cursor=${'A'.repeat(4097)}`,
  'cursor=W10',
  'cursor=bnVsbA',
  'cursor=eyJhIjoxfQ',
  'cursor=WyJ4IiwxLDFd',
  'page=2',
  'offset=1',
  'order=asc',
  'filter=x',
  'x',
  '=',
  '=x',
  '__proto__=x',
  '__proto__[x]=1',
  'constructor=x',
  'toString=x',
  'a[b]=c',
  '%00=x',
  'Limit=1',
  'limit%20=1',
  '%zz=1',
  'force=true',
  'callback=x',
  '_method=DELETE',
  'id=1',
  'board_id=1',
  'select=*',
  '1=1',
  "'=1",
  'limit=1;count=true',
  'q[$ne]=x',
  'status[]=done',
  'sort[0]=seq',
];
const queries = QUERIES.flatMap((query) => [
  get(`query ${shown(query)}`, `/api/boards/{board}/stories?${query}`, 400),
  get(`query of a sprint ${shown(query)}`, `/api/sprints/{sprint}/stories?${query}`, 400),
]);
const otherQueries = [
  ...[
    'after=-1',
    'after=x',
    'after=',
    'after=1.5',
    'after=9007199254740992',
    'limit=0',
    'limit=1001',
    'after=1&after=2',
    'since=1',
  ].map((query) => get(`events ${query}`, `/api/boards/{board}/events?${query}`, 400)),
  ...['state=x', 'state=', 'state=active&state=ended', 'status=active', 'cursor=x', 'sort=id'].map(
    (query) => get(`sprints ${query}`, `/api/boards/{board}/sprints?${query}`, 400),
  ),
  ...[
    'force=x',
    'force=',
    'force=1',
    'force=TRUE',
    'force[]=true',
    'force=true&force=true',
    'x=1',
  ].flatMap((query) =>
    ['/api/sprints/{sprint}', '/api/boards/{board}'].map((path) => ({
      name: `${path} ${query}`,
      method: 'DELETE',
      path: `${path}?${query}`,
      status: 400,
    })),
  ),
  ...[
    '/api/stories/{story}',
    '/api/sprints/{sprint}',
    '/api/tasks/{task}',
    '/api/boards/{board}',
  ].map((path) => get(`${path} with a parameter`, `${path}?x=1`, 400)),
];

const METHODS = [
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'SEARCH',
  'TRACE',
  'PURGE',
  'REPORT',
  'LINK',
  'SUBSCRIBE',
  'M-SEARCH',
  'ACL',
  'BIND',
  'MERGE',
  'SOURCE',
];
const methods = [
  ...METHODS.flatMap((method) => [
    { name: `${method} of a story`, method, path: '/api/stories/{story}', status: 405 },
    { name: `${method} of nothing`, method, path: '/nope', status: 404 },
  ]),
  ...['PUT', 'PATCH', 'DELETE'].flatMap((method) =>
    [
      '/api/boards',
      '/api/boards/{board}/backlog',
      '/api/boards/{board}/sprints',
      '/api/boards/{board}/sprints/current',
      '/api/sprints/{sprint}/stories',
      '/api/stories/{story}/history',
      '/api/boards/{board}/events',
      '/openapi.json',
      '/health/live',
    ].map((path) => ({ name: `${method} of ${path}`, method, path, status: 405 })),
  ),
  ...[
    '/api/stories/{story}',
    '/api/sprints/{sprint}',
    '/api/tasks/{task}',
    '/api/boards/{board}',
  ].map((path) => json(`POST of ${path}`, 'POST', path, { title: 'x' }, 405)),
  ...['DELETE', 'PUT'].map((method) => ({
    name: `overridden ${method}`,
    method: 'POST',
    path: '/api/stories/{story}',
    headers: { 'x-http-method-override': method, ...JSON_TYPE },
    body: '{}',
    status: 405,
  })),
];

const PATHS = [
  '//api/boards',
  '/api//boards',
  '/api/boards//backlog',
  '/API/boards',
  '/api/Boards',
  '/api/boards/../tokens',
  '/api/./boards',
  '/..',
  '/../../etc/passwd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/..%5c..%5cetc%5cpasswd',
  '/.env',
  '/.git/config',
  '/package.json',
  '/src/main.ts',
  '/dist/main.js',
  '/data/sprintline.db',
  '/docs/../package.json',
  '/docs/..%2f..%2fpackage.json',
  '/docs/%00',
  '/docs/%2e%2e%2fpackage.json',
  '/%',
  '/%00',
  '/%zz',
  '/%FF',
  '/api/%',
  '/api/stories/%',
  '/api/stories/%C3',
  '/api/stories',
  '/api/sprints',
  '/api/tasks',
  '/admin',
  '/debug/pprof',
  '/graphql',
  '/wp-login.php',
  '/favicon.ico',
  '/:id',
  '/*',
  '/api/*',
  '/api/boards;x=1',
  '/api/boards%2Fx%2Fbacklog',
  '/api/boards%3Fx',
  '/~root',
  '/cgi-bin/',
  `/${'x'.repeat(7000)}`,
  `/${'x/'.repeat(2000)}`,
  `/api/boards/${'x'.repeat(9000)}`,
  `/api/boards?q=${'x'.repeat(9000)}`,
];
const paths = PATHS.flatMap((path) => [
  get(`path ${shown(path)}`, path),
  { name: `DELETE of path ${shown(path)}`, method: 'DELETE', path },
]);

const HEADERS: [string, string[]][] = [
  [
    'if-match',
    ['x', '"', '""', 'W/', 'W/"x"', '*, *', ',', `"${'x'.repeat(5000)}"`, '"%00"', "'x'", '"\\""'],
  ],
  [
    'accept',
    ['text/html', 'application/xml', 'application/json;q=0', 'image/*', 'x/y', 'text/csv'],
  ],
];
const headers = HEADERS.flatMap(([name, values]) =>
  values.map((value) => ({
    name: `${name} ${shown(value)}`,
    method: 'PUT',
    path: '/api/stories/{story}',
    headers: { ...JSON_TYPE, [name]: value },
    body: '{"title":"x"}',
    status: name === 'accept' ? 406 : 412,
  })),
);

/** Requests that are all rejected and change nothing; sent exactly as they are. */
export const HOSTILE: readonly Hostile[] = [
  ...members,
  ...unknownMembers,
  ...readOnly,
  ...bodies,
  ...forms,
  ...types,
  ...ids,
  ...boardNames,
  ...madeBoards,
  ...queries,
  ...otherQueries,
  ...methods,
  ...paths,
  ...headers,
];

const SQL = [
  "'; DROP TABLE stories; --",
  "' OR '1'='1",
  '" OR ""="',
  "x'); DELETE FROM boards; --",
  "\\'; --",
  '\\',
  '\\\\',
  "' UNION SELECT name FROM sqlite_master --",
  "' AND SLEEP(5) --",
  '/*',
  '--',
  '#',
  '?',
  '??',
  ':a',
  '@a',
  '$1',
  '%',
  '_',
  '%%',
  '`',
  '``',
  "''",
  '"";',
  '0x27',
  'CHAR(39)',
  '\u02bc OR 1=1',
  '＇ OR 1=1',
  '\u001a',
  '\b',
  "'||(SELECT 1)||'",
  '{{7*7}}',
  '${7*7}',
  '<%= 7 %>',
  '<script>alert(1)</script>',
  '\u202etxt.exe',
  '%s%s%n',
  '../../etc/passwd',
  'NULL',
  'null',
];

/** Texts that look like something else, and must be kept, found and shown as nothing but themselves. */
export const ODD_TEXTS: readonly string[] = [
  ...SQL,
  'e\u0301',
  '\u00e9',
  '\u212b',
  'ﬁ',
  '👩‍👩‍👧‍👦',
  '\u{10ffff}',
  '\ufffe',
  'a\u2028b',
  'İi̇ıI',
  'ǅ',
  'ß',
  'Ω',
  'ก็็็็',
  '\u00ad',
  '\u200b',
];
