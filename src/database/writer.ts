/** Injection token of the data source of the unit of work: on SQLite a connection of its own. */
export const WRITER = Symbol('WRITER');
