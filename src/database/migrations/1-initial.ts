import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** Boards, sprints, stories, tasks and the log of events. */
export class Initial1763700000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { id, text, foreignKey, unique, create } = await definitions(queryRunner);
    await create(
      'boards',
      [
        `id ${id}`,
        'name varchar(100) NULL',
        'time_zone varchar(64) NOT NULL',
        'revision integer NOT NULL',
        'created_at datetime(3) NOT NULL',
        'updated_at datetime(3) NOT NULL',
        'version integer NOT NULL',
        unique('uq_boards_name', 'name'),
      ],
      [],
    );
    await create(
      'sprints',
      [
        `id ${id}`,
        'board_id integer NOT NULL',
        'name varchar(100) NULL',
        `goal ${text} NULL`,
        'start_date date NOT NULL',
        'end_date date NULL',
        'completed_at datetime(3) NULL',
        'created_at datetime(3) NOT NULL',
        'updated_at datetime(3) NOT NULL',
        'version integer NOT NULL',
        foreignKey('fk_sprints_board', 'board_id', 'boards'),
      ],
      ['ix_sprints_order (board_id, start_date, id)'],
    );
    await create(
      'stories',
      [
        `id ${id}`,
        'board_id integer NOT NULL',
        'sprint_id integer NULL',
        'title varchar(255) NOT NULL',
        `description ${text} NULL`,
        'seq integer NOT NULL',
        'priority integer NULL',
        'status varchar(16) NOT NULL',
        'points decimal(6,2) NULL',
        'assignee varchar(100) NULL',
        `labels ${text} NOT NULL`,
        'external_id varchar(100) NULL',
        `search ${text} NOT NULL`,
        'created_at datetime(3) NOT NULL',
        'updated_at datetime(3) NOT NULL',
        'done_at datetime(3) NULL',
        'version integer NOT NULL',
        unique('uq_stories_external_id', 'board_id, external_id'),
        foreignKey('fk_stories_board', 'board_id', 'boards'),
        foreignKey('fk_stories_sprint', 'sprint_id', 'sprints'),
      ],
      [
        'ix_stories_list (board_id, sprint_id, seq, id)',
        'ix_stories_board (board_id, seq, id)',
        'ix_stories_updated (board_id, updated_at, id)',
      ],
    );
    await create(
      'tasks',
      [
        `id ${id}`,
        'story_id integer NOT NULL',
        'title varchar(255) NOT NULL',
        'seq integer NOT NULL',
        'status varchar(16) NOT NULL',
        'assignee varchar(100) NULL',
        'created_at datetime(3) NOT NULL',
        'updated_at datetime(3) NOT NULL',
        'done_at datetime(3) NULL',
        'version integer NOT NULL',
        foreignKey('fk_tasks_story', 'story_id', 'stories'),
      ],
      ['ix_tasks_order (story_id, seq, id)'],
    );
    await create(
      'events',
      [
        'board_id integer NOT NULL',
        'revision integer NOT NULL',
        'type varchar(32) NOT NULL',
        'at datetime(3) NOT NULL',
        'actor varchar(255) NOT NULL',
        'entity varchar(16) NOT NULL',
        'entity_id integer NOT NULL',
        'entity_version integer NOT NULL',
        'sprint_id integer NULL',
        'from_sprint_id integer NULL',
        `\`before\` ${text} NULL`,
        `\`after\` ${text} NULL`,
        'CONSTRAINT pk_events PRIMARY KEY (board_id, revision)',
        foreignKey('fk_events_board', 'board_id', 'boards'),
      ],
      [
        'ix_events_entity (entity_id, entity, entity_version, board_id, revision)',
        'ix_events_sprint (sprint_id, entity_id)',
        'ix_events_from_sprint (from_sprint_id, entity_id)',
      ],
    );
  }
}
