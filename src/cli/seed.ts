import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { CreateBoard } from '../boards/board.dto';
import { BoardsService } from '../boards/boards.service';
import { Received, readDto } from '../http/read-only';
import { Clock } from '../time/clock';
import { readNewBoardName } from '../http/path';
import { Problem } from '../http/problem';
import { CompleteSprint } from '../completion/completion.dto';
import { CompletionService } from '../completion/completion.service';
import { CreateSprint } from '../sprints/sprint.dto';
import { reportOf } from '../reports/report.queries';
import { SprintsService } from '../sprints/sprints.service';
import { StoriesService } from '../stories/stories.service';
import { CreateStory, UpdateStory } from '../stories/story.dto';
import { CreateTask, UpdateTask } from '../tasks/task.dto';
import { TasksService } from '../tasks/tasks.service';
import { OPERATOR, Refusal, withApplication } from './application';
import type { DemoStory } from './demo';
import { BACKLOG, SPRINTS } from './demo';

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** `seed`: a demo board to look at and to play with. */
export function registerSeed(program: Command): void {
  program
    .command('seed')
    .description('make a small demo board whose sprints lie around today')
    .option('--board <name>', 'its name', 'Demo')
    .action(async (flags: { board: string }) => {
      const board = readNewBoardName(flags.board);
      await withApplication((app) => seed(app, board));
      console.log(
        `${board}: ${SPRINTS.length} sprints, the second of them current, and a backlog.`,
      );
    });
}

/**
 * Makes the demo board through the services, everything at the time at which a team would have done
 * it, so that what tells of the past has one to tell of.
 * @throws Refusal where there is such a board
 */
export async function seed(app: INestApplicationContext, name: string): Promise<void> {
  const clock = app.get(Clock);
  const today = Math.floor(clock.now().getTime() / DAY) * DAY;
  // Monday of last week: what the demo does on the first seven days of the sprint is always over.
  const start = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY - 7 * DAY;
  const steps = plan(app, name, (day) => new Date(start + day * DAY).toISOString().slice(0, 10));
  try {
    for (const { day, hour, take } of steps.sort((a, b) => a.day - b.day || a.hour - b.hour)) {
      clock.now = () => new Date(start + day * DAY + hour * HOUR);
      await take();
    }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'name_taken') throw error;
    throw new Refusal(`There is a board ${name} already; --board gives the demo another name.`);
  } finally {
    Reflect.deleteProperty(clock, 'now');
  }
}

/** Something that is done on a day, counted from the start of the current sprint, at an hour. */
interface Step {
  day: number;
  hour: number;
  take: () => Promise<unknown>;
}

function plan(
  app: INestApplicationContext,
  board: string,
  dateOf: (day: number) => string,
): Step[] {
  const stories = app.get(StoriesService);
  const tasks = app.get(TasksService);
  const sprints = app.get(SprintsService);
  const steps: Step[] = [];
  const at = (day: number, hour: number, take: Step['take']): void => {
    steps.push({ day, hour, take });
  };

  at(-18, 9, () => app.get(BoardsService).create(OPERATOR, body(CreateBoard, { name: board })));
  for (const { day, name, goal, stories: demo } of SPRINTS) {
    // On the Friday before, or on the Friday that was last.
    const planning = Math.min(day - 3, 4);
    let sprint = 0;
    at(planning, 10, async () => {
      const dates = { start_date: dateOf(day), end_date: dateOf(day + 13) };
      const sent = body(CreateSprint, { name, goal, ...dates });
      sprint = (await sprints.create(OPERATOR, board, sent)).id;
    });
    // A sprint is completed on the morning on which the next one begins.
    if (day < 0) {
      at(day + 14, 8, () => {
        const sent = body(CompleteSprint, { unfinished: 'next' });
        return app.get(CompletionService).complete(OPERATOR, sprint, sent, reportOf);
      });
    }
    for (const story of demo) {
      const { added, started, done } = story;
      let id = 0;
      let parts: number[] = [];
      const update = (status: string): Promise<unknown> =>
        stories.update(OPERATOR, id, body(UpdateStory, { status }));
      const finish = (part: number): Promise<unknown> =>
        tasks.update(OPERATOR, part, body(UpdateTask, { status: 'done' }));

      at(added === undefined ? planning : day + added, 11, async () => {
        const sent = body(CreateStory, members(story));
        id = (await stories.createInSprint(OPERATOR, () => Promise.resolve(sprint), sent)).id;
        for (const title of story.tasks ?? []) {
          const { assignee } = story;
          const task = await tasks.create(OPERATOR, id, body(CreateTask, { title, assignee }));
          parts.push(task.id);
        }
      });
      if (started !== undefined) {
        at(day + started, 13, () => update('in_progress'));
        at(day + started + 1, 15, async () => {
          const [first, ...others] = parts;
          if (first !== undefined) await finish(first);
          parts = others;
        });
      }
      if (done !== undefined) {
        at(day + done, 16, async () => {
          for (const part of parts) await finish(part);
          await update('done');
        });
      }
    }
  }
  at(4, 12, async () => {
    for (const story of BACKLOG) {
      await stories.createInBacklog(OPERATOR, board, body(CreateStory, members(story)));
    }
  });
  return steps;
}

/** A body as the HTTP door would have read it. */
function body<T extends object>(Dto: new () => T, sent: object): T {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  return readDto(Dto, new Received(Object.fromEntries(given), false), 'pointer');
}

/** What a request may say of a story. */
function members(story: DemoStory): object {
  const { title, description, points, priority, assignee, labels } = story;
  return { title, description, points, priority, assignee, labels };
}
