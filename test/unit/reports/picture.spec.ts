import type { BurndownDays } from '../../../src/reports/burndown';
import { burndownSvg, PICTURE_STYLE, velocitySvg } from '../../../src/reports/picture';
import type { BurndownDayView } from '../../../src/reports/report.dto';
import { velocity } from '../../../src/reports/velocity';

const day = (date: string, remaining: number, ideal: number | null): BurndownDayView => ({
  date,
  working: true,
  scope_points: 10,
  completed_points: 10 - remaining,
  remaining_points: remaining,
  ideal_points: ideal,
  scope_count: 4,
  completed_count: 1,
  remaining_count: 3,
});
const days = (rows: BurndownDayView[]): BurndownDays =>
  Object.assign(rows, {
    committed: { points: 10, count: 4 },
    isWorking: () => true,
    ideal: () => null,
    eventful: [],
    at: (places: Iterable<number>) => Array.from(places, (place) => rows[place] as BurndownDayView),
  });
const rows = [day('2026-03-02', 10, 8), day('2026-03-03', 7, 6)];
const burndown = {
  title: 'Sprint 12',
  start_date: '2026-03-02',
  end_date: '2026-03-06',
  days: days(rows),
  today: '2026-03-03',
};
const sprint = {
  id: 7,
  name: 'Sprint 7',
  start_date: '2026-03-02',
  end_date: null,
  completed_at: '2026-03-15T12:00:00.000Z',
  committed_points: 20,
  completed_points: 15,
  unfinished_points: 5,
  committed_count: 4,
  completed_count: 3,
  unfinished_count: 1,
};
const texts = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((match) => match[1] as string);

describe('the picture of a burndown', () => {
  it('has a title, axes, a legend and the line of today', async () => {
    const svg = await burndownSvg(burndown);
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(texts(svg)).toEqual(
      expect.arrayContaining(['Sprint 12', 'Points', 'Remaining', 'Ideal', 'Scope', 'Today']),
    );
    expect(texts(svg)).toEqual(expect.arrayContaining(['Mar 2', 'Mar 6', '10']));
  });

  it('has neither an ideal line without an end date nor a today once it is completed', async () => {
    const endless = days(rows.map((each) => ({ ...each, ideal_points: null })));
    const picture = { ...burndown, end_date: null, days: endless, today: null };
    const shown = texts(await burndownSvg(picture));
    expect(shown).not.toContain('Ideal');
    expect(shown).not.toContain('Today');
  });

  it('is in stories where nothing is estimated', async () => {
    const unestimated = rows.map((each) => ({ ...each, scope_points: 0, remaining_points: 0 }));
    expect(texts(await burndownSvg({ ...burndown, days: days(unestimated) }))).toContain('Stories');
  });

  it('is drawn for a sprint that has not started, and for one that never ends', async () => {
    expect(await burndownSvg({ ...burndown, days: days([]), today: null })).toContain('</svg>');
    const many = Array.from({ length: 100_000 }, (_, index) =>
      day(new Date(Date.UTC(1800, 0, index + 1)).toISOString().slice(0, 10), 5, null),
    );
    const picture = { ...burndown, start_date: '1800-01-01', end_date: null, today: null };
    expect((await burndownSvg({ ...picture, days: days(many) })).length).toBeLessThan(200_000);
  });

  it('is well-formed XML whatever the sprint is called', async () => {
    const shown = await burndownSvg({ ...burndown, title: '<b> & "\u0001\uFFFF' });
    expect(texts(shown)).toContain('&lt;b&gt; &amp; "\uFFFD\uFFFD');
  });
});

describe('the picture of a velocity', () => {
  it('names its sprints, a nameless one by its id', async () => {
    const svg = await velocitySvg('Velocity', velocity([sprint, { ...sprint, id: 8, name: null }]));
    expect(texts(svg)).toEqual(
      expect.arrayContaining(['Velocity', 'Sprint 7', '#8', 'Committed', 'Completed', 'Average']),
    );
  });

  it('tells sprints of one name apart', async () => {
    const svg = await velocitySvg('Velocity', velocity([sprint, { ...sprint, id: 8 }]));
    expect(texts(svg).filter((text) => text === 'Sprint 7')).toHaveLength(2);
  });

  it('is drawn without a sprint', async () => {
    expect(texts(await velocitySvg('Velocity', velocity([])))).toContain('Velocity');
  });
});

describe('every picture', () => {
  it('is the same, byte for byte, of the same numbers', async () => {
    const again = [
      burndownSvg(burndown),
      velocitySvg('V', velocity([sprint])),
      burndownSvg(burndown),
    ];
    const [one, , other] = await Promise.all(again);
    expect(other).toBe(one);
  });

  it('has no colour that the dark does not exchange', async () => {
    for (const svg of [await burndownSvg(burndown), await velocitySvg('V', velocity([sprint]))]) {
      const used = svg.replace(PICTURE_STYLE, '').matchAll(/(?:fill|stroke)="(#[^"]*|[a-z]+)"/g);
      const fixed = [...used].map((match) => match[1] as string);
      expect(
        fixed
          .filter((colour) => !/^(none|transparent)$/.test(colour))
          .every((colour) => PICTURE_STYLE.includes(`"${colour}"`)),
      ).toBe(true);
    }
  });
});
