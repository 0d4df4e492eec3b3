import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '../dialect';

/** The search of stories finds SS where it finds the letter `ẞ`, and the other way round. */
export class SearchCapitalSharpS1763711000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    // Read without locks, because an UPDATE of the whole table would lock all of its rows on MySQL.
    const stories = (await queryRunner.query(
      "SELECT id FROM stories WHERE INSTR(search, 'ẞ') > 0",
    )) as { id: number }[];
    for (const { id } of stories) {
      await queryRunner.query(
        "UPDATE stories SET search = REPLACE(search, 'ẞ', 'SS') WHERE id = ?",
        [id],
      );
    }
  }
}
