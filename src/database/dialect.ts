import type { QueryRunner } from 'typeorm';

/** How the engines spell the few things that they spell differently in a table's definition. */
export interface Definitions {
  /** An id that the database gives, and never gives twice. */
  id: string;
  /** A text of any length. */
  text: string;
  unique: (name: string, columns: string) => string;
  foreignKey: (
    name: string,
    columns: string,
    table: string,
    referenced?: string,
    onDelete?: 'NO ACTION' | 'CASCADE',
  ) => string;
  /** Creates a table and its indices, where they do not exist yet. */
  create: (table: string, definitions: string[], indices: string[]) => Promise<void>;
  /** Adds an index, `name (columns)`, to a table that is there, where it does not exist yet. */
  index: (table: string, index: string) => Promise<void>;
  /** Adds a column, `name definition`, to a table that is there, where it does not exist yet. */
  column: (table: string, column: string) => Promise<void>;
}

/**
 * DDL is not transactional on MySQL: a migration that was cut off has done a part of its work. So each
 * step is one that may be done again.
 */
export async function definitions(queryRunner: QueryRunner): Promise<Definitions> {
  const sqlite = queryRunner.dataSource.driver.options.type === 'better-sqlite3';
  // TypeORM, which compares tables with entities, reads SQLite's definitions back as text, and sees the
  // names of keys and constraints only where they are quoted.
  const quoted = (name: string): string => (sqlite ? `"${name}"` : name);
  const listed = (columns: string): string => columns.split(', ').map(quoted).join(', ');
  const index = async (table: string, definition: string): Promise<void> => {
    const [name, ...rest] = definition.split(' ');
    if (!sqlite) {
      // MySQL has no CREATE INDEX IF NOT EXISTS.
      const found = (await queryRunner.query(
        `SELECT 1 FROM information_schema.statistics
         WHERE table_schema = DATABASE() AND table_name = ? AND index_name = ?`,
        [table, name],
      )) as unknown[];
      if (found.length > 0) return;
    }
    await queryRunner.query(
      `CREATE INDEX ${sqlite ? 'IF NOT EXISTS ' : ''}${name} ON ${table} ${rest.join(' ')}`,
    );
  };
  const tableOptions = sqlite ? '' : ` ENGINE=InnoDB ${await charset(queryRunner)}`;
  return {
    id: sqlite
      ? 'integer PRIMARY KEY AUTOINCREMENT NOT NULL'
      : 'integer NOT NULL AUTO_INCREMENT PRIMARY KEY',
    text: sqlite ? 'text' : 'mediumtext',
    unique: (name, columns) =>
      sqlite
        ? `CONSTRAINT ${quoted(name)} UNIQUE (${listed(columns)})`
        : `UNIQUE INDEX ${name} (${columns})`,
    foreignKey: (name, columns, table, referenced = 'id', onDelete = 'NO ACTION') =>
      `CONSTRAINT ${quoted(name)} FOREIGN KEY (${listed(columns)}) REFERENCES ${quoted(table)} ` +
      `(${listed(referenced)}) ON DELETE ${onDelete} ON UPDATE NO ACTION`,
    create: async (table, definitions, indices) => {
      // On MySQL the indices are a part of the one statement.
      const inline = sqlite ? [] : indices.map((definition) => `INDEX ${definition}`);
      const columns = definitions.map((text) => text.replace(/^id /, `${quoted('id')} `));
      await queryRunner.query(
        `CREATE TABLE IF NOT EXISTS ${table} (${[...columns, ...inline].join(', ')})${tableOptions}`,
      );
      if (sqlite) for (const definition of indices) await index(table, definition);
    },
    index,
    column: async (table, definition) => {
      if (await queryRunner.hasColumn(table, definition.split(' ')[0] ?? '')) return;
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${definition}`);
    },
  };
}

/**
 * Texts are equal when their code points are, trailing blanks included, and sort by them: what SQLite
 * does by itself. MySQL and MariaDB name that collation differently.
 */
async function charset(queryRunner: QueryRunner): Promise<string> {
  const [row] = (await queryRunner.query('SELECT VERSION() AS version')) as { version: string }[];
  const mariadb = /mariadb/i.test(row?.version ?? '');
  return `DEFAULT CHARSET=utf8mb4 COLLATE=${mariadb ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin'}`;
}
