import { Injectable } from '@nestjs/common';
import { Semaphore, withTimeout } from 'async-mutex';
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Authenticator } from '../../auth/authenticator';
import { BoardCreation } from '../../boards/board-creation.service';
import { requireLists } from '../../boards/board.queries';
import type { LockedBoard } from '../../database/board-row';
import type { Change } from '../../database/change';
import { Slots, SlotsOfClients } from '../../database/slots';
import { UnitOfWork } from '../../database/unit-of-work';
import type { Caller } from '../../http/caller';
import { excessOf } from '../../http/input/body-limits';
import type { Upload } from '../../http/input/upload';
import { fieldError, Problem } from '../../http/problem';
import { requireTag } from '../../http/responses/etag';
import { isObject } from '../../http/validation/collections';
import { tryValidate } from '../../http/validation/validation.pipe';
import { Clock } from '../../time/clock';
import { requireFields } from '../files/columns';
import type { DetectedFile, FileHints } from '../files/detect';
import { detectFormat } from '../files/detect';
import { fromUtf16 } from '../files/utf16';
import { FORMATS } from '../formats/formats';
import { planExport } from '../formats/sprintline';
import { survey as surveyOf } from '../restore/restore-survey';
import type { ExportedBoard } from '../restore/restore.service';
import { RestoreService } from '../restore/restore.service';
import { nameOf } from './apply-sprints.service';
import { ApplyService } from './apply.service';
import type {
  ImportFormat,
  ImportQuery,
  ImportView,
  SprintDates,
  UnmappedName,
} from './import.dto';
import { Mapping } from './import.dto';
import { inLowerCase } from './known-names';
import type { ImportPlan, PlannedSprint } from './plan';

/** Milliseconds during which an import is run again after conflicts. */
const RETRY_MS = 300_000;

/** The most concurrent imports, in total and of one client: each may need a few hundred MiB. */
const MAX_IMPORTS = 4;
const MAX_IMPORTS_OF_ONE_CLIENT = 2;
/** Milliseconds that an import waits at most for a slot of its client, and then for one of the service. */
const WAIT_MS = 60_000;
/** Imports of one client that may wait. */
const MAX_WAITING = 64;

/** The most rows, and names, in a response. */
const MAX_LISTED = 1000;

/** The parts of a result that are empty after a restore. */
const NOTHING = {
  updated: { sprints: 0, stories: 0, tasks: 0 },
  unchanged: { sprints: 0, stories: 0, tasks: 0 },
  skipped: [],
  warnings: [],
  unmapped: { statuses: [] },
};

/** A file to import, with the options of its import. */
interface ImportFile extends FileHints {
  bytes: Readable;
  mapping: Mapping;
  nullText?: string;
  /** Opens the file once more; without it the file is kept in memory if it has to be read again. */
  reopen?: () => AsyncIterable<Buffer>;
}

/** A file that was read for its import: the plan of what changes or, of an export with its log, the whole board. */
type PlannedImport = { format: ImportFormat; mapping: Mapping } & (
  { plan: ImportPlan } | { exported: ExportedBoard }
);

/** Imports files into boards. */
@Injectable()
export class ImportService {
  private readonly slots = withTimeout(
    new Semaphore(MAX_IMPORTS),
    WAIT_MS,
    new Problem('overloaded'),
  );
  /** Limits the slots of each client, because a slow upload keeps its slot. */
  private readonly slotsOfClients = new SlotsOfClients(
    () => new Slots(MAX_IMPORTS_OF_ONE_CLIENT, MAX_WAITING, WAIT_MS),
  );

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly boards: BoardCreation,
    private readonly applying: ApplyService,
    private readonly restores: RestoreService,
    private readonly authenticator: Authenticator,
    private readonly clock: Clock,
  ) {}

  /**
   * Imports an uploaded file, all of it or nothing; with `dry_run` nothing is changed.
   * @throws Problem `invalid_file`, `unknown_format`, `ambiguous_dates`, `sprint_full`, `overloaded`, `unauthorized`, …
   */
  async import(
    caller: Caller,
    boardName: string,
    { format = 'auto', dry_run = false }: ImportQuery,
    upload: Upload,
  ): Promise<ImportView> {
    const work = async (): Promise<ImportView> => {
      const planned = await upload.read(['mapping'], async ({ fields, ...file }) => {
        const mapping = await parseMapping(fields.get('mapping'));
        return this.plan(boardName, { ...file, format, mapping });
      });
      const { idempotency } = caller;
      if (idempotency) {
        const { fingerprint } = idempotency;
        idempotency.fingerprint = hash('sha256', fingerprint + upload.digest());
      }
      // Within the minutes of an upload, the token or its boards may have been deleted.
      const { boards } = await this.authenticator.requireCurrent(caller);
      return this.apply({ ...caller, boards }, boardName, planned, { dryRun: dry_run });
    };
    const release = await this.slotsOfClients.acquire(caller.clientKey);
    try {
      return await this.slots.runExclusive(work);
    } finally {
      release();
    }
  }

  /** Reads a file and plans its import. @throws Problem `invalid_file`, … */
  async plan(boardName: string, file: ImportFile): Promise<PlannedImport> {
    const { mapping, nullText } = file;
    const context = {
      now: this.clock.now(),
      timeZone: mapping.time_zone ?? (await this.boards.timeZoneOf(boardName)),
      nullText,
    };
    const { format, ...detected } = await detectFormat(file.bytes, file);
    if (format === 'sprintline') return planOwn(detected, file);
    const plan = await FORMATS[format](detected.file, mapping, context);
    return { format, mapping: plan.mapping ?? mapping, plan };
  }

  /**
   * Writes a plan, all of it or nothing; with `dryRun` nothing is changed. `If-Match` refers to the board's lists.
   * @param progress called with the number of stories that are written
   */
  async apply(
    caller: Caller,
    boardName: string,
    planned: PlannedImport,
    { dryRun = false, progress = (_: number): void => undefined } = {},
  ): Promise<ImportView> {
    const { format, mapping } = planned;
    if ('exported' in planned) {
      const { exported } = planned;
      // The board of a restore is new, so it has no entity tag.
      requireTag(caller);
      const { sprint: sprints, story: stories, task: tasks } = exported.survey.counts;
      const view = { format, mapping, ...NOTHING, created: { sprints, stories, tasks } };
      return this.restores.restore(caller, boardName, exported, view, { dryRun, progress });
    }
    const { plan } = planned;
    const write = async (change: Change, board: LockedBoard): Promise<ImportView> => {
      requireLists(caller, board);
      const applied = await this.applying.apply(change, board, plan, progress);
      const { created, updated, unchanged, assumedDates } = applied;
      // Not those of other sprints: with the mapping they would replace the dates on the board.
      const sprints = { ...mapping.sprints, ...withOneName(assumedDates, plan.sprints) };
      const skipped = [...plan.skipped, ...applied.skipped].sort((a, b) => a.line - b.line);
      const statuses = namesOf(plan.unmapped);
      const priorities = namesOf(plan.unmappedPriorities);
      return {
        format,
        mapping: assumedDates.size > 0 ? { ...mapping, sprints } : mapping,
        created,
        updated,
        unchanged,
        skipped: skipped
          .slice(0, MAX_LISTED)
          .map((row) => ({ ...row, detail: row.detail.toWellFormed() })),
        warnings: [
          ...plan.warnings.list(),
          ...applied.warnings.list(),
          ...(skipped.length > MAX_LISTED
            ? [{ code: 'skipped', count: skipped.length, examples: [] }]
            : []),
        ],
        unmapped: { statuses, ...(priorities.length > 0 && { priorities }) },
      };
    };
    const { board: fields = {} } = plan;
    // Others wait for a transaction, so an import that creates the board has many short ones.
    const view = await this.boards.createByParts(caller, boardName, fields, write, { dryRun });
    if (view) return view;
    const work = async (change: Change): Promise<ImportView> =>
      write(change, await this.boards.boardForCreation(change, boardName, fields));
    return this.unitOfWork.run(caller, work, { dryRun, retryMs: RETRY_MS });
  }
}

/** The dates by the name of their sprint, without names that several sprints have. */
function withOneName(
  dates: ReadonlyMap<string, SprintDates>,
  sprints: readonly PlannedSprint[],
): Record<string, SprintDates> {
  const names = sprints.map((sprint) => inLowerCase(nameOf(sprint)));
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...dates].filter(([name]) => counts.get(inLowerCase(name)) === 1));
}

const namesOf = (counts: ReadonlyMap<string, number> = new Map()): UnmappedName[] =>
  [...counts].slice(0, MAX_LISTED).map(([value, count]) => ({ value, count }));

/** Plans the import of a file of our own format, which is read more than once. @throws InvalidFile */
async function planOwn(
  { file, encoding }: Omit<DetectedFile, 'format'>,
  { bytes: original, reopen, mapping }: ImportFile,
): Promise<PlannedImport> {
  requireFields(mapping);
  let open: () => AsyncIterable<Buffer>;
  if (reopen) {
    open = () => (encoding ? fromUtf16(reopen(), encoding) : reopen());
  } else {
    const chunks = (await file.toArray()) as Buffer[];
    open = () => Readable.from(chunks);
  }
  // The rest of the original stream is not needed.
  original.destroy();
  const survey = await surveyOf(open());
  const format = 'sprintline';
  // Nothing of an export is open to interpretation.
  if (survey.header.log) return { format, mapping: {}, exported: { survey, open } };
  return { format, mapping: {}, plan: await planExport(open(), survey) };
}

/** Reads a mapping from JSON. @throws Problem `invalid_request` with pointers below `/mapping` */
export async function parseMapping(text: string | undefined): Promise<Mapping> {
  if (text === undefined || text === '') return new Mapping();
  const excess = excessOf(text);
  if (excess) {
    throw Problem.invalid([
      fieldError('pointer', 'mapping', excess, 'has too many levels or values'),
    ]);
  }
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    fields = undefined;
  }
  if (!isObject(fields)) {
    const error = fieldError('pointer', 'mapping', 'invalid_type', 'must be a JSON object');
    throw Problem.invalid([error]);
  }
  const { dto, errors } = await tryValidate(Mapping, fields);
  if (dto) return dto;
  throw Problem.invalid(errors.map((one) => ({ ...one, pointer: `/mapping${one.pointer}` })));
}
