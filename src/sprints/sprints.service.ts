import type { OnModuleInit } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { collectionTag, findBoard } from '../boards/board.queries';
import { Database } from '../database/database';
import { column, Listing } from '../http/listing';
import { PathResources } from '../http/path-resources';
import { Problem } from '../http/problem';
import { calendarDate, Clock } from '../time/clock';
import type { SprintListQuery, SprintView } from './sprint.dto';
import type { SprintReference, SprintRow } from './sprint.queries';
import { representSprint, SprintQueries } from './sprint.queries';

/** Reads sprints; `SprintChanges` changes them. */
@Injectable()
export class SprintsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sprints: SprintQueries,
    private readonly pathResources: PathResources,
  ) {}

  onModuleInit(): void {
    this.pathResources.register('sprint_id', 'sprint_not_found', async (id) => {
      const sprint = await this.sprints.find(this.database, id);
      return sprint?.board_name;
    });
  }

  /** The sprints of a board. @throws Problem `board_not_found` */
  async list(boardName: string, { state, ...page }: SprintListQuery): Promise<Listing> {
    const board = await findBoard(this.database, boardName);
    const now = this.clock.now();
    const today = calendarDate(now, board.time_zone);
    return new Listing(
      this.database,
      {
        query: () =>
          state ? this.sprints.inState(board.id, state, today) : this.sprints.ofBoard(board.id),
        order: [column('start_date', 's', 'date'), column('id', 's', 'integer')],
        indexed: true,
        represent: (row: SprintRow) => representSprint(row, now),
        board: { ...board, tagOf: (at) => collectionTag(at, today) },
      },
      page,
    );
  }

  /** @throws Problem `sprint_not_found` */
  async show(id: number): Promise<SprintView> {
    const row = await this.sprints.find(this.database, id);
    if (!row) throw new Problem('sprint_not_found');
    return representSprint(row, this.clock.now());
  }

  /** The id of the sprint that a path names. @throws Problem `board_not_found`, `no_current_sprint`, … */
  async idOf(reference: SprintReference): Promise<number> {
    if (typeof reference === 'number') return reference;
    const board = await findBoard(this.database, reference.boardName);
    const { which } = reference;
    return (await this.sprints.relative(this.database, board, which, this.clock.now())).id;
  }
}
