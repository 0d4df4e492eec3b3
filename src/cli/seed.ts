import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { BoardCreation } from '../boards/board-creation.service';
import { CompletionService } from '../completion/completion.service';
import { readNewBoardName } from '../http/input/path';
import { Problem } from '../http/problem';
import { ExpectedError } from '../logging/expected-error';
import { SprintChanges } from '../sprints/sprint-changes.service';
import { StoriesService } from '../stories/stories.service';
import type { CreateStory } from '../stories/story.dto';
import type { Status } from '../stories/story.entity';
import { TasksService } from '../tasks/tasks.service';
import { Clock } from '../time/clock';
import { OPERATOR, withApplication } from './application';
import demo from './demo.json';

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** A story of demo.json. Days are counted from the start of its sprint. */
interface DemoStory extends CreateStory {
  tasks?: string[];
  /** The day on which it was added to the running sprint; absent if it was planned. */
  added?: number;
  started?: number;
  /** The day on which it was done; after day 11, that is in the next sprint, which it was carried over to. */
  done?: number;
}

/** The sprints of a team of four that builds a ticket shop. */
const SPRINTS: {
  name: string;
  goal: string;
  /** The day of its start, counted from the start of the current sprint; each takes two weeks. */
  day: number;
  stories: DemoStory[];
}[] = demo.sprints;

const BACKLOG: CreateStory[] = demo.backlog;

/** `seed`: creates a demo board. */
export function defineSeed(command: Command): void {
  command
    .option('--board <name>', 'the name of the board', 'Demo')
    .action(async (flags: { board: string }) => {
      const board = readNewBoardName(flags.board);
      await withApplication((app) => seed(app, board), { createsDatabase: true });
      console.log(`${board}: six completed sprints, a current one, a planned one and a backlog.`);
    });
}

/**
 * Creates the demo board through the services, with the clock set to when a team would have done each
 * step, so that the log and the reports have a past.
 * @throws ExpectedError if a board has this name
 */
async function seed(app: INestApplicationContext, name: string): Promise<void> {
  const clock = app.get(Clock);
  const now = clock.now().getTime();
  const today = Math.floor(now / DAY) * DAY;
  const weekday = (new Date(today).getUTCDay() + 6) % 7;
  // The current sprint began on a Monday, three to nine days ago.
  const start = today - (weekday < 3 ? weekday + 7 : weekday) * DAY;
  const steps = plan(app, name, (day) => new Date(start + day * DAY).toISOString().slice(0, 10));
  try {
    for (const { day, hour, run } of steps.sort((a, b) => a.day - b.day || a.hour - b.hour)) {
      const at = start + day * DAY + hour * HOUR;
      if (at > now) break;
      clock.set(new Date(at).toISOString());
      await run();
    }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'name_taken') throw error;
    throw new ExpectedError(`A board ${name} already exists; --board gives the demo another name.`);
  } finally {
    clock.set();
  }
}

/** A change to make on a day, counted from the start of the current sprint, at an hour. */
interface Step {
  day: number;
  hour: number;
  run: () => Promise<unknown>;
}

function plan(
  app: INestApplicationContext,
  board: string,
  dateOf: (day: number) => string,
): Step[] {
  const boards = app.get(BoardCreation);
  const sprints = app.get(SprintChanges);
  const stories = app.get(StoriesService);
  const tasks = app.get(TasksService);
  const completion = app.get(CompletionService);
  const steps: Step[] = [];
  const at = (day: number, hour: number, run: Step['run']): void => {
    steps.push({ day, hour, run });
  };

  at(-90, 9, () => boards.create(OPERATOR, { name: board }));
  for (const { day, name, goal, stories: demo } of SPRINTS) {
    // On the Friday before the sprint; for the next sprint on day 2, which has passed already.
    const planning = Math.min(day - 3, 2);
    let sprint = 0;
    at(planning, 10, async () => {
      const dates = { start_date: dateOf(day), end_date: dateOf(day + 13) };
      sprint = (await sprints.create(OPERATOR, board, { name, goal, ...dates })).id;
    });
    at(day, 10, () => sprints.start(OPERATOR, sprint));
    if (day < 0) {
      at(day + 11, 17, () => completion.complete(OPERATOR, sprint, { unfinished: 'next' }));
    }
    for (const { tasks: titles = [], added, started, done, ...story } of demo) {
      let id = 0;
      let open: number[] = [];
      const setStatus = (status: Status): Promise<unknown> =>
        stories.update(OPERATOR, id, { status });
      const finish = (task: number): Promise<unknown> =>
        tasks.update(OPERATOR, task, { status: 'done' });

      at(added === undefined ? planning : day + added, 11, async () => {
        id = (await sprints.createStory(OPERATOR, sprint, story)).id;
        for (const title of titles) {
          open.push((await tasks.create(OPERATOR, id, { title, assignee: story.assignee })).id);
        }
      });
      if (started !== undefined) {
        at(day + started, 13, () => setStatus('in_progress'));
        at(day + started + 1, 15, async () => {
          const [first, ...others] = open;
          if (first !== undefined) await finish(first);
          open = others;
        });
      }
      if (done !== undefined) {
        at(day + done, 16, async () => {
          for (const task of open) await finish(task);
          await setStatus('done');
        });
      }
    }
  }
  at(2, 12, async () => {
    for (const story of BACKLOG) await stories.createInBacklog(OPERATOR, board, story);
  });
  return steps;
}
