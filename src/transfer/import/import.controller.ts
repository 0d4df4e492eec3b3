import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../../http/caller';
import { CurrentCaller } from '../../http/caller';
import { Query } from '../../http/input/parameters';
import { NewBoardName } from '../../http/input/path';
import type { Upload } from '../../http/input/upload';
import { UploadOfRequest } from '../../http/input/upload';
import { Answers, Rejects, Repeatable, RequireScope, Route } from '../../http/route';
import { ImportQuery, ImportView } from './import.dto';
import { ImportService } from './import.service';

@ApiTags('Transfer')
@Controller('api/boards/:board_name/import')
export class ImportController {
  constructor(private readonly imports: ImportService) {}

  @Post()
  @RequireScope('write')
  @Answers(
    'Import file into a board',
    ImportView,
    'Creates and updates the sprints, stories and tasks of a file, all or none; the board is created if it does not exist. Rows are found again by their `external_id`, so a second import of the same file changes nothing; a row of a table without an id always creates a story. In a form, `mapping` must precede `file`. A file has at most 32 MiB. `dry_run` responds with the same result, but changes nothing.',
  )
  @Repeatable()
  @Route({ file: true, createsBoard: true, conditional: true })
  @Rejects(
    'invalid_file',
    'unknown_format',
    'ambiguous_dates',
    'external_id_taken',
    'name_taken',
    'sprint_full',
    'too_many_tasks',
  )
  import(
    @CurrentCaller() caller: Caller,
    @NewBoardName() name: string,
    @Query() query: ImportQuery,
    @UploadOfRequest() upload: Upload,
  ) {
    return this.imports.import(caller, name, query, upload);
  }
}
