import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '../dialect';

/** The letters that upper case leaves decomposed, as it writes `ΐ` and `i̇`, by their composed form. */
const COMPOSED = { İ: 'I\u0307', Ϊ: '\u0399\u0308', Ϋ: '\u03a5\u0308' };

/** The search of stories finds `İ`, `ΐ` and `ΰ` in any case. */
export class SearchComposed1763712000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [composed, decomposed] of Object.entries(COMPOSED)) {
      // Read without locks, because an UPDATE of the whole table would lock all of its rows on MySQL.
      const stories = (await queryRunner.query(
        `SELECT id FROM stories WHERE INSTR(search, '${decomposed}') > 0`,
      )) as { id: number }[];
      for (const { id } of stories) {
        await queryRunner.query(
          `UPDATE stories SET search = REPLACE(search, '${decomposed}', '${composed}') WHERE id = ?`,
          [id],
        );
      }
    }
  }
}
