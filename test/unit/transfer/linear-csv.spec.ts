import { createReadStream } from 'node:fs';
import { linearCsv } from '../../../src/transfer/formats/linear-csv';
import { published, withPublished } from '../../support/published';
import { counts, planOf } from './plan-of';

const HEADER =
  '"ID","Team","Title","Description","Status","Estimate","Priority","Assignee","Labels","Cycle Number","Cycle Name","Cycle Start","Cycle End","Completed","Canceled","Archived","Parent issue"';
const START = 'Mon Jan 05 2026 00:00:00 GMT+0000 (GMT)';
const END = 'Mon Jan 19 2026 00:00:00 GMT+0000 (GMT)';

const file = (...rows: string[]) => [HEADER, ...rows].join('\n');

describe('a Linear CSV export', () => {
  it('has issues with their fields, and cycles that end the day before', async () => {
    const plan = await planOf(
      linearCsv,
      file(
        `"WEB-1","Web","Sign in","A\nB","Shipped",5,"Urgent","ann@example.org","Bug,Feature",7,"","${START}","${END}","Thu Jan 15 2026 10:00:00 GMT+0000 (GMT)",,,`,
        '"WEB-2","Web","Old","","Backlog",,"No priority",,"",,,,,,,"Thu Jan 15 2026 10:00:00 GMT+0000 (GMT)",',
        '"WEB-3","Web","Dropped","","Canceled",,"Low",,"",,,,,,"Thu Jan 15 2026 10:00:00 GMT+0000 (GMT)",,"WEB-1"',
      ),
    );
    expect(plan.sprints).toEqual([
      {
        key: 'Web:7',
        external_id: 'linear:cycle:Web:7',
        name: 'Cycle 7',
        goal: null,
        start_date: '2026-01-05',
        end_date: '2026-01-18',
        completed_at: new Date('2026-01-18T23:59:59.999Z'),
      },
    ]);
    expect(plan.stories).toEqual([
      {
        line: 2,
        external_id: 'linear:WEB-1',
        title: 'Sign in',
        description: 'A\nB',
        status: 'done',
        priority: 1,
        points: 5,
        assignee: 'ann@example.org',
        labels: ['Bug', 'Feature'],
        sprints: ['Web:7'],
        done_at: new Date('2026-01-15T10:00:00Z'),
        tasks: [],
      },
      expect.objectContaining({
        external_id: 'linear:WEB-3',
        status: 'done',
        priority: 4,
        sprints: [],
        done_at: new Date('2026-01-15T10:00:00Z'),
      }),
    ]);
    expect(plan.skipped.map(({ line, code }) => [line, code])).toEqual([[4, 'archived']]);
    expect(plan.codes).toEqual({ parent_ignored: 1 });
  });

  it('completes neither a past cycle with open issues nor one that has not ended', async () => {
    const future = END.replace('2026', '2027');
    const plan = await planOf(
      linearCsv,
      file(
        `"A-1","A","One","","Todo",,,,,1,"Past","${START}","${END}",,,,`,
        `"A-2","A","Two","","Done",,,,,2,"Now","${START}","${future}","${START}",,,`,
        `"B-1","B","Three","","Done",,,,,1,"Past","${START}","${END}","${START}",,,`,
      ),
    );
    expect(plan.sprints.map(({ key, completed_at }) => [key, completed_at !== null])).toEqual([
      ['A:1', false],
      ['A:2', false],
      ['B:1', true],
    ]);
  });

  it.each([
    ['ID,Title\nA-1,One\n', undefined],
    ['ID,Title,Cycle Start\nA-1,One,\n', undefined],
    ['ID,Title,Cycle Name\nA-1,One,\n', []],
    ['ID,Title,Cycle Number\nA-1,One,\n', []],
  ])(
    'leaves stories in their sprints only if no column names cycles: %j',
    async (text, sprints) => {
      const { stories } = await planOf(linearCsv, text);
      expect(stories[0]?.sprints).toEqual(sprints);
    },
  );
});

withPublished('exports/linear.csv')('a real Linear CSV export', () => {
  it('has the issues, points and cycles that were counted in it', async () => {
    const real = () => createReadStream(published('exports/linear.csv'));
    const plan = await planOf(linearCsv, real(), { archived: 'import' });
    const { stories, sprints } = plan;
    expect(stories.length).toBe(10);
    expect(counts(stories.map(({ status }) => status))).toEqual({
      todo: 6,
      in_progress: 1,
      done: 3,
    });
    const points = stories.flatMap((story) => story.points ?? []);
    expect([points.length, points.reduce((sum, one) => sum + one)]).toEqual([3, 16]);
    expect(sprints.map(({ name, start_date, end_date }) => [name, start_date, end_date])).toEqual([
      ['Cycle 1', '2023-02-06', '2023-02-19'],
      ['Cycle 2', '2023-03-06', '2023-03-19'],
    ]);
    expect(counts(stories.map((story) => story.sprints?.join()))).toEqual({
      'Claw:1': 3,
      'Claw:2': 1,
      '': 6,
    });
    const inFirst = stories.filter((story) => story.sprints?.includes('Claw:1'));
    expect(inFirst.reduce((sum, story) => sum + (story.points ?? 0), 0)).toBe(13);
    expect(inFirst.filter(({ status }) => status === 'done').length).toBe(1);
    expect(plan.codes.parent_ignored).toBe(2);
    const without = await planOf(linearCsv, real());
    expect(without.skipped.map(({ code, detail }) => [code, detail.slice(0, 12)])).toEqual([
      ['archived', 'linear:CLA-8'],
    ]);
  });
});
