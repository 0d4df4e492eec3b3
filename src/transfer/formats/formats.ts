import type { Readable } from 'node:stream';
import type { SourceReader } from '../files/source';
import type { ImportFormat, Mapping } from '../import/import.dto';
import { mapSource } from '../import/mapping';
import type { ImportPlan, PlanContext } from '../import/plan';
import { planCsv } from './csv';
import { github } from './github';
import { jiraCsv } from './jira-csv';
import { jiraJson } from './jira-json';
import { linearCsv } from './linear-csv';
import { taiga } from './taiga';
import { trello } from './trello';

/** Reads a file and plans its import. @throws InvalidFile */
type PlanFile = (file: Readable, mapping: Mapping, context: PlanContext) => Promise<ImportPlan>;

const foreign =
  (read: SourceReader): PlanFile =>
  async (file, mapping, context) =>
    mapSource(await read(file, mapping), mapping, context);

/** The formats of other tools, and our CSV. */
export const FORMATS: Record<Exclude<ImportFormat, 'sprintline'>, PlanFile> = {
  csv: planCsv,
  'jira-csv': foreign(jiraCsv),
  'jira-json': foreign(jiraJson),
  'linear-csv': foreign(linearCsv),
  trello: foreign(trello),
  taiga: foreign(taiga),
  github: foreign(github),
};
