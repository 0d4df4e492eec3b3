import { Resvg } from '@resvg/resvg-js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import threads from 'node:worker_threads';
import { DOCS, documented } from '../../../scripts/pictures';
import type { BurndownPicture } from '../../../src/reports/pictures/burndown.words';
import { burndownPicture } from '../../../src/reports/pictures/burndown';
import { forecastPicture } from '../../../src/reports/pictures/forecast';
import { densityOf, FONT_FILES, png } from '../../../src/reports/pictures/png';
import type { Picture } from '../../../src/reports/pictures/svg';
import { COLOURS, PICTURE_STYLE, svg } from '../../../src/reports/pictures/svg';
import { distinctNames, measure, range, shorten, wrap } from '../../../src/reports/pictures/text';
import { velocityPicture } from '../../../src/reports/pictures/velocity';
import {
  burndownOf,
  burndowns,
  forecasts,
  HOSTILE_NAMES,
  LONG_NAME,
  textBoxes,
  textsOf,
  velocities,
} from '../../support/pictures';

const draw: [string, (width: number) => Picture][] = [
  ...Object.entries(burndowns).map(([name, of]): [string, (width: number) => Picture] => [
    `burndown, ${name}`,
    (width) => burndownPicture(of, width),
  ]),
  ...Object.entries(velocities).map(([name, of]): [string, (width: number) => Picture] => [
    `velocity, ${name}`,
    (width) => velocityPicture(of, width),
  ]),
  ...Object.entries(forecasts).map(([name, of]): [string, (width: number) => Picture] => [
    `forecast, ${name}`,
    (width) => forecastPicture(of, width),
  ]),
];
const WIDTHS = [360, 421, 480, 599, 600, 720, 840, 1024, 1333, 1600];
const one = (of: Parameters<typeof burndownPicture>[0]): Picture => burndownPicture(of, 720);
const wordsOf = (picture: Picture): string[] => textsOf(svg(picture, 'light'));
const colours = (drawn: string): string[] =>
  [...drawn.matchAll(/(?:fill|stroke)="([^"]*)"/g)].map(([, colour = '']) => colour);

it.each([1, 2, 3])('a picture of %d stories has no fractions of stories', (count) => {
  const few = burndownOf({ remaining: [count], scope: count, unit: 'count' });
  expect(wordsOf(one(few)).filter((words) => /^\d*\.\d+$/.test(words))).toEqual([]);
});

describe('every picture', () => {
  it.each(draw)(
    'of %s has no text that is cut off or overlaps another, at any width',
    (_, picture) => {
      for (const width of WIDTHS) {
        const { height, ...rest } = picture(width);
        const boxes = textBoxes(svg({ ...rest, height }, 'light'));
        const outside = boxes.filter(
          ({ left, right, top, bottom }) =>
            left < 4 || right > width - 4 || top < 4 || bottom > height - 4,
        );
        const overlapping = boxes.flatMap((box, index) =>
          boxes
            .slice(index + 1)
            .filter(
              (other) =>
                box.left < other.right &&
                other.left < box.right &&
                box.top < other.bottom &&
                other.top < box.bottom,
            )
            .map((other) => [box.text, other.text]),
        );
        expect({ width, outside, overlapping }).toEqual({ width, outside: [], overlapping: [] });
      }
    },
  );

  it.each(draw)('of %s is well-formed XML with a text alternative', (_, picture) => {
    const { width, height, title, description, ...rest } = picture(720);
    const drawn = svg({ width, height, title, description, ...rest }, 'auto');
    // resvg parses strictly and rejects XML that is not well-formed.
    const { width: parsedWidth, height: parsedHeight } = new Resvg(drawn, {
      font: { loadSystemFonts: false },
    });
    expect([parsedWidth, parsedHeight]).toEqual([width, height]);
    expect(drawn).toMatch(/^<svg [^>]*role="img"[^>]*><title>[^<]+<\/title><desc>[^<]+<\/desc>/);
    expect(drawn).not.toMatch(/NaN|Infinity|undefined|null[^a-z]/);
    expect(drawn).not.toMatch(/<script| style=| href=|url\(/);
  });

  it.each(draw)('of %s uses only colours that the dark theme replaces', (_, picture) => {
    const light = svg(picture(720), 'light');
    const known = [...Object.values(COLOURS), 'none'];
    expect(colours(light).filter((colour) => !known.includes(colour))).toEqual([]);
    const dark = svg(picture(720), 'dark');
    expect(colours(dark).filter((colour) => known.includes(colour) && colour !== 'none')).toEqual(
      [],
    );
    for (const role of Object.values(COLOURS)) expect(PICTURE_STYLE).toContain(`[fill="${role}"]`);
    expect(svg(picture(720), 'auto')).toContain(`<style>${PICTURE_STYLE}</style>`);
    expect(light + dark).not.toContain('<style>');
  });

  it('reserves at least the width of a text, and less than 1.6 times that', () => {
    const texts = [
      '21 of 31 points left, 4 working days',
      'The quick brown fox jumps over the lazy dog – WAMWAM 0123456789 @%&',
      'Zażółć gęślą jaźń, Быстрая лиса, Γρήγορη αλεπού',
      'Wednesday, Nov 16 – Dec 27, 2026',
      LONG_NAME,
      'iiiiillll1111jjjj....',
      'mmmmWWWW%%%%../../..',
    ];
    for (const [index, weight] of [400, 600].entries()) {
      for (const text of texts) {
        const drawn = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="50"><text x="0" y="30" font-family="Inter" font-size="20" font-weight="${weight}">${text.replace('&', '&amp;')}</text></svg>`;
        const font = { loadSystemFonts: false, fontFiles: [FONT_FILES[index] as string] };
        const real = new Resvg(drawn, { font }).getBBox()?.width ?? NaN;
        const estimated = measure(text, 20, weight);
        expect([text, real > 100, real <= estimated, estimated < real * 1.6]).toEqual([
          text,
          true,
          true,
          true,
        ]);
      }
    }
  });
});

describe('the picture of a burndown', () => {
  it.each<[string, string]>([
    ['middle', 'rocket, Sprint 12, Nov 16 – 27, 2026: 21 of 31 points left, 6 working days'],
    ['burnup', 'rocket, Sprint 12, Nov 16 – 27, 2026: 10 of 31 points done, 6 working days left'],
    ['planned', 'rocket, Sprint 12, Nov 23 – Dec 4, 2026: 34 points planned, starts Nov 23'],
    ['planned without a story', 'Nothing planned, starts Nov 23'],
    ['empty', 'No stories, 8 working days'],
    ['first day', '31 of 31 points left, 10 working days'],
    ['ended', '7 of 31 points left, ended Nov 27'],
    ['completed', 'All 28 points done, completed Nov 26'],
    ['done early', 'All 31 points done, 9 working days left'],
    ['completed before its start', '34 points planned, completed Nov 20'],
    ['without an end', 'from Nov 16, 2026: 8.5 of 15.5 points left, no end date'],
    ['unestimated', '5 of 8 stories left, 7 working days'],
    ['large', '64,000.25 of 100,000 points left, 7 working days'],
    ['small', '1.75 of 3.5 points left, 7 working days'],
    ['month', 'rocket, Sprint of Nov 16, Nov 16 – Dec 13, 2026: 25 of 40 points left'],
    ['one day', 'Nov 16, 2026: 3 of 3 points left, 1 working day'],
  ])('of %s has a heading with the main figures', (name, title) => {
    const picture = one(burndowns[name] as never);
    expect(picture.title).toContain(title);
    const headline = picture.title.slice(picture.title.lastIndexOf(': ') + 2);
    expect(wordsOf(picture).join(' ')).toContain(headline);
  });

  it('has a text if there is nothing to draw', () => {
    expect(wordsOf(one(burndowns.planned as never))).toContain('Starts Nov 23');
    const early = wordsOf(one(burndowns['started before its first day'] as never));
    expect(early).toContain('Starts Nov 23');
    expect(early.join()).not.toContain('Ideal');
    expect(wordsOf(one(burndowns.empty as never))).toContain(
      'There are no stories in this sprint.',
    );
  });

  it('has its numbers next to its lines and in its description', () => {
    const picture = one(burndowns.middle as never);
    expect(wordsOf(picture)).toEqual(
      expect.arrayContaining(['Remaining 21', 'Scope 31', 'Ideal, 28 committed', '21', 'Today']),
    );
    expect(picture.description).toContain('28 committed; Nov 16: 28 of 28; Nov 17: 26 of 28');
    const up = wordsOf(one(burndowns.burnup as never));
    expect(up).toEqual(
      expect.arrayContaining([
        'Completed 10',
        'rocket · Sprint 12, burn-up\u2003Nov 16 – 27, 2026',
      ]),
    );
  });

  it('names the remaining work if the sprint was empty on its first day', () => {
    const late = { remaining: [0, 5, 4], scope: [0, 5, 5], committed: 5 };
    expect(wordsOf(one(burndownOf(late, { end_date: null })))).toContain('Remaining 4');
  });

  it('shades non-working days, on which its ideal line is level', () => {
    const drawn = svg(one(burndowns.middle as never), 'light');
    const [shaded, ...others] = [
      ...drawn.matchAll(/<rect x="([\d.]+)" width="([\d.]+)"[^>]*fill="#f0f2f5"/g),
    ]
      .map(([, x, width]) => [Number(x), Number(width)] as const)
      .filter(([, width]) => width > 20);
    expect(others).toEqual([]);
    const [x = NaN, width = NaN] = shaded ?? [];
    const ideal = /d="(M[^"]*)"[^>]*stroke-dasharray="5 4"/.exec(
      drawn.slice(drawn.lastIndexOf('<desc>')).split('Not a working day')[1] ?? '',
    );
    const points = [...(ideal?.[1] ?? '').matchAll(/([\d.]+),([\d.]+)/g)].map(
      ([, left, top]) => [Number(left), Number(top)] as const,
    );
    const over = points.filter(([left]) => left >= x - 0.2 && left <= x + width + 0.2);
    expect(over).toHaveLength(3);
    expect(new Set(over.map(([, top]) => top)).size).toBe(1);
    expect(new Set(points.map(([, top]) => top)).size).toBe(points.length - 2);
    const { middle } = burndowns as Record<'middle', BurndownPicture>;
    const busy = one({ ...middle, days: { ...middle.days, isWorking: () => true } });
    expect(wordsOf(busy)).not.toContain('Not a working day');
  });

  it('has the date of today above “Today” if its days are too narrow for a label each', () => {
    const boxes = textBoxes(svg(burndownPicture(burndowns.month as never, 480), 'light'));
    const centre = (words: string): number => {
      const box = boxes.find((each) => each.text === words);
      return box ? (box.left + box.right) / 2 : NaN;
    };
    expect(centre('Dec 1')).toBeCloseTo(centre('Today'), 0);
    const day = (centre('Dec 6') - centre('Dec 1')) / 5;
    expect(day).toBeCloseTo((centre('Dec 1') - centre('Nov 22')) / 9, 0);
  });

  it.each(['decades', 'until the last date'])('has no more rows than pixels: %s', (name) => {
    expect(svg(one(burndowns[name] as never), 'auto').length).toBeLessThan(60_000);
  });

  it('has an ideal line only with an end date, and no mark for today once it is completed', () => {
    const words = wordsOf(one(burndowns['without an end'] as never)).join();
    expect(words).not.toContain('Ideal');
    expect(wordsOf(one(burndowns.completed as never))).not.toContain('Today');
  });
});

describe('the heading', () => {
  it('keeps the words after the name of a sprint that is written from right to left', () => {
    const of = burndownOf({ remaining: [31], scope: 31 }, { name: 'ספרינט' }, { kind: 'burnup' });
    expect(wordsOf(one(of)).join()).toContain('\u2068ספרינט\u2069, burn-up');
  });

  it('is shortened if it is wider than the picture, with and without dates', () => {
    for (const board of [...HOSTILE_NAMES, LONG_NAME]) {
      const boxes = textBoxes(
        svg(velocityPicture({ ...velocities.none, board } as never, 360), 'light'),
      );
      expect(Math.max(...boxes.map(({ right }) => right))).toBeLessThanOrEqual(344);
    }
  });
});

describe('the picture of a velocity', () => {
  const words = (name: string, width = 720): string[] =>
    wordsOf(velocityPicture(velocities[name] as never, width));

  it('has the numbers of each sprint and the average', () => {
    expect(words('three')).toEqual(
      expect.arrayContaining(['Sprint 1', '16 of 20', '21 of 27', 'Average 21', 'Completed']),
    );
    const { title, description } = velocityPicture(velocities.three as never, 720);
    expect(title).toBe(
      'rocket, velocity, Mar 2 – Apr 10, 2026: 21 points per sprint, average of 3',
    );
    expect(description).toContain('Sprint 1: 16 of 20; Sprint 2: 21 of 27');
    expect(words('none')).toContain('No completed sprint yet');
    expect(words('unestimated')).toContain('7 stories per sprint, average of 3');
  });

  it.each([360, 720, 1600])('has distinct names at a width of %s pixels', (width) => {
    for (const [name, { view }] of Object.entries(velocities)) {
      const { sprints } = view;
      if (sprints.length === 0) continue;
      const left = textBoxes(svg(velocityPicture(velocities[name] as never, width), 'light'));
      const column = Math.min(...left.map((box) => box.left));
      const names = left
        .slice(-sprints.length * (width < 720 ? 2 : 3))
        .filter((box) => box.left === column);
      expect([name, new Set(names.map(({ text }) => text)).size]).toEqual([name, sprints.length]);
    }
    expect(words('ten, differing in the middle', width).join()).toMatch(/Sprint 1 .*Sprint 10 /);
    expect(words('equal', width)).toEqual(
      expect.arrayContaining(['Sprint #7', 'Sprint #8', 'Other']),
    );
    expect(words('twenty', width)).toEqual(expect.arrayContaining(['Sprint 1', '#9']));
  });
});

describe('the picture of a forecast', () => {
  const words = (name: string): string[] => wordsOf(forecastPicture(forecasts[name] as never, 720));

  it('has the date of each confidence', () => {
    const { paths } = forecasts.wide ?? { paths: [] };
    expect(paths.map(({ percent, date }) => [percent, date])).toEqual([
      [50, '2027-04-05'],
      [85, '2027-06-14'],
      [95, '2027-08-09'],
    ]);
    expect(words('wide')).toEqual(
      expect.arrayContaining([
        'Nov 30',
        '50 %, 9 sprints',
        'Apr 5, 2027',
        '85 %, 14 sprints',
        'Jun 14, 2027',
      ]),
    );
    expect(words('wide')).toContain('Done by Jun 14, 2027, 85 % sure');
    expect(words('nothing left')).toContain('No points left in the backlog');
    expect(words('no end')).toContain('Not done within 1,000 sprints');
  });

  it('decreases, more slowly for a higher confidence', () => {
    for (const { amount, paths } of Object.values(forecasts)) {
      for (const [index, { sprints, points }] of paths.entries()) {
        expect(points[0]?.left).toBe(amount);
        if (sprints !== null) expect(points.at(-1)).toEqual({ sprints, left: 0 });
        points.forEach(({ left, sprints }, place) => {
          expect(left).toBeLessThanOrEqual(points[place - 1]?.left ?? amount);
          const surer = paths[index + 1]?.points.find((point) => point.sprints === sprints);
          if (surer) expect(left).toBeLessThanOrEqual(surer.left);
        });
      }
    }
  });
});

describe('a PNG', () => {
  const size = (image: Buffer): [number, number] => [
    image.readUInt32BE(16),
    image.readUInt32BE(20),
  ];
  const letters = (text: string): Picture => ({
    ...burndownPicture(burndowns.middle as never, 720),
    content: `<text x="50" y="150" font-size="60" font-weight="600" fill="#1f2328">${text}</text>`,
  });
  const rendered = (picture: Picture): Promise<Buffer> =>
    png(svg(picture, 'light'), picture, { key: 'test' });

  it('fails if its thread ends without a picture', async () => {
    const { Worker } = threads;
    const ending = jest
      .spyOn(threads, 'Worker')
      .mockImplementation(() => new Worker('process.exit()', { eval: true }));
    try {
      await expect(rendered(letters('A'))).rejects.toThrow('ended without a picture');
    } finally {
      ending.mockRestore();
    }
  }, 10_000);

  it('is rejected if it waits too long for others, and is not drawn if its client disconnects', async () => {
    const { Worker } = threads;
    const disconnection = new AbortController();
    const starts = jest
      .spyOn(threads, 'Worker')
      .mockImplementation(() => new Worker('setTimeout(() => {}, 60_000)', { eval: true }));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
    try {
      const first = [letters('A'), letters('B')].map(rendered);
      const late = expect(rendered(letters('C'))).rejects.toMatchObject({ code: 'overloaded' });
      await jest.advanceTimersByTimeAsync(2000);
      await late;
      const left = png('', letters('D'), { key: 'test', signal: disconnection.signal });
      const gone = expect(left).rejects.toThrow('aborted');
      disconnection.abort();
      const ends = first.map((each) => expect(each).rejects.toThrow('ended without a picture'));
      for (const { value } of starts.mock.results) await (value as threads.Worker).terminate();
      await Promise.all([...ends, gone]);
      expect(starts).toHaveBeenCalledTimes(2);
    } finally {
      jest.useRealTimers();
      starts.mockRestore();
    }
  }, 10_000);

  it('has twice the size of the picture in pixels, less if it is very large', async () => {
    const usual = burndownPicture(burndowns.middle as never, 720);
    const image = await rendered(usual);
    expect(image.subarray(1, 4).toString()).toBe('PNG');
    expect(size(image)).toEqual([1440, usual.height * 2]);
    const large = velocityPicture(velocities.hundred as never, 1600);
    const [width, height] = size(await rendered(large));
    expect(width).toBe(Math.round(1600 * densityOf(large)));
    expect(width * height).toBeLessThan(3_500_000);
  });

  it('shows text on a machine without fonts', async () => {
    const images = [letters('A'), letters('B'), letters(' ')].map(rendered);
    const [a, b, none] = (await Promise.all(images)).map((image) => image.toString('base64'));
    expect(new Set([a, b, none]).size).toBe(3);
    expect(FONT_FILES.every((file) => file.includes('node_modules'))).toBe(true);
  });

  it('is drawn for names in any script', async () => {
    for (const name of HOSTILE_NAMES) {
      const picture = burndownPicture(burndownOf({ remaining: [1], scope: 1 }, { name }), 360);
      expect(size(await rendered(picture))[0]).toBe(720);
    }
  });
});

describe('the documentation', () => {
  it.each(Object.entries(documented()))(
    'has %s; `npm run docs:pictures` writes it',
    (file, picture) => {
      expect(readFileSync(join(DOCS, file), 'utf8')).toBe(`${picture}\n`);
    },
  );
});

describe('the texts of a picture', () => {
  it('are shortened in the middle, between grapheme clusters', () => {
    const fits = (text: string): boolean => [...new Intl.Segmenter().segment(text)].length <= 7;
    expect(shorten('Sprint 12 of many', fits)).toBe('Spr…any');
    expect(shorten('👩‍👩‍👧‍👦'.repeat(9), fits, 0)).toBe(`${'👩‍👩‍👧‍👦'.repeat(6)}…`);
    expect(shorten('short', fits)).toBe('short');
    expect(shorten('short', () => false)).toBe('…');
    expect(wrap('one two three', fits)).toEqual(['one two', 'three']);
  });

  it('keep the parts of names that differ', () => {
    const names = (...all: string[]): string[] =>
      distinctNames(
        all.map((name, id) => ({ id, name })),
        (text) => text.length <= 12,
      );
    expect(names('Sprint of the team 1', 'Sprint of the team 2')).toEqual([
      'Sprint…eam 1',
      'Sprint…eam 2',
    ]);
    expect(names('Same', 'Same', 'Other')).toEqual(['Same #0', 'Same #1', 'Other']);
  });

  it('repeat neither month nor year in a range of dates', () => {
    expect(range('2026-11-16', '2026-11-27')).toBe('Nov 16 – 27, 2026');
    expect(range('2026-11-23', '2026-12-04')).toBe('Nov 23 – Dec 4, 2026');
    expect(range('2026-12-21', '2027-01-08')).toBe('Dec 21, 2026 – Jan 8, 2027');
    expect(range('2026-11-16', '2026-11-16')).toBe('Nov 16, 2026');
  });
});
