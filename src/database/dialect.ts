import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration, which is recorded under the name of its class. */
export abstract class ForwardMigration implements MigrationInterface {
  readonly name = this.constructor.name;

  abstract up(queryRunner: QueryRunner): Promise<void>;

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup to go back.');
  }
}

/**
 * Returns the parts of definitions that SQLite and MySQL write differently, and the steps of a migration. Every
 * step can be repeated, because DDL is not transactional on MySQL and a migration may be interrupted.
 */
export async function definitions(queryRunner: QueryRunner) {
  const sqlite = queryRunner.dataSource.driver.options.type === 'better-sqlite3';
  // When TypeORM compares tables with entities, it parses SQLite's definitions, and finds the names of keys
  // and constraints only if they are quoted.
  const quoted = (name: string): string => (sqlite ? `"${name}"` : name);
  const listed = (columns: string): string => columns.split(', ').map(quoted).join(', ');
  // MySQL has neither CREATE INDEX IF NOT EXISTS nor DROP INDEX IF EXISTS.
  const hasIndex = async (table: string, name: string): Promise<boolean> => {
    const found = (await queryRunner.query(
      `SELECT 1 FROM information_schema.statistics
       WHERE table_schema = DATABASE() AND table_name = ? AND index_name = ?`,
      [table, name],
    )) as unknown[];
    return found.length > 0;
  };
  /** Adds an index, `name (columns)`. */
  const index = async (table: string, definition: string): Promise<void> => {
    const [name = '', ...rest] = definition.split(' ');
    if (!sqlite && (await hasIndex(table, name))) return;
    await queryRunner.query(
      `CREATE INDEX ${sqlite ? 'IF NOT EXISTS ' : ''}${name} ON ${table} ${rest.join(' ')}`,
    );
  };
  const tableOptions = sqlite ? '' : ` ENGINE=InnoDB ${await charset(queryRunner)}`;
  return {
    /** An id that the database generates and never repeats. */
    id: sqlite
      ? 'integer PRIMARY KEY AUTOINCREMENT NOT NULL'
      : 'integer NOT NULL AUTO_INCREMENT PRIMARY KEY',
    /** A string of any length. */
    text: sqlite ? 'text' : 'mediumtext',
    unique: (name: string, columns: string): string =>
      sqlite
        ? `CONSTRAINT ${quoted(name)} UNIQUE (${listed(columns)})`
        : `UNIQUE INDEX ${name} (${columns})`,
    foreignKey: (
      name: string,
      columns: string,
      table: string,
      referenced = 'id',
      onDelete: 'NO ACTION' | 'CASCADE' = 'NO ACTION',
    ): string =>
      `CONSTRAINT ${quoted(name)} FOREIGN KEY (${listed(columns)}) REFERENCES ${quoted(table)} ` +
      `(${listed(referenced)}) ON DELETE ${onDelete} ON UPDATE NO ACTION`,
    /** Creates a table and its indices. */
    create: async (table: string, definitions: string[], indices: string[]): Promise<void> => {
      // On MySQL the indices are a part of CREATE TABLE.
      const inline = sqlite ? [] : indices.map((definition) => `INDEX ${definition}`);
      const columns = definitions.map((text) => text.replace(/^id /, `${quoted('id')} `));
      await queryRunner.query(
        `CREATE TABLE IF NOT EXISTS ${table} (${[...columns, ...inline].join(', ')})${tableOptions}`,
      );
      if (sqlite) for (const definition of indices) await index(table, definition);
    },
    index,
    /** Adds a column, `name definition`. */
    column: async (table: string, definition: string): Promise<void> => {
      if (await queryRunner.hasColumn(table, definition.split(' ')[0] ?? '')) return;
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${definition}`);
    },
    dropColumn: async (table: string, name: string): Promise<void> => {
      if (!(await queryRunner.hasColumn(table, name))) return;
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${name}`);
    },
    dropIndex: async (table: string, name: string): Promise<void> => {
      if (sqlite) await queryRunner.query(`DROP INDEX IF EXISTS ${name}`);
      else if (await hasIndex(table, name)) {
        await queryRunner.query(`DROP INDEX ${name} ON ${table}`);
      }
    },
  };
}

/**
 * Returns the options that compare and sort strings by code points, trailing spaces included, as SQLite
 * does by default. MySQL and MariaDB name that collation differently.
 */
async function charset(queryRunner: QueryRunner): Promise<string> {
  const [row] = (await queryRunner.query('SELECT VERSION() AS version')) as { version: string }[];
  const mariadb = /mariadb/i.test(row?.version ?? '');
  return `DEFAULT CHARSET=utf8mb4 COLLATE=${mariadb ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin'}`;
}
