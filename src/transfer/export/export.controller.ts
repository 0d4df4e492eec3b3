import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Query } from '../../http/input/parameters';
import { BoardName } from '../../http/input/path';
import { RequireScope, Route } from '../../http/route';
import { EXPORT_MEDIA_TYPE } from './export-format';
import { ExportQuery } from './export.dto';
import { ExportService } from './export.service';

@ApiTags('Transfer')
@Controller('api')
export class ExportController {
  constructor(private readonly exports: ExportService) {}

  @Get('boards/:board_name/export')
  @RequireScope('read')
  @Route({ produces: [EXPORT_MEDIA_TYPE] })
  @ApiOperation({
    summary: 'Export board',
    description:
      'A JSON value on each line: a header, the sprints, the stories, each followed by its tasks, with `log` the events, and the number of lines with their checksum. An import reads it.',
  })
  @ApiOkResponse({ content: { [EXPORT_MEDIA_TYPE]: { schema: { type: 'string' } } } })
  export(@BoardName() name: string, @Query() query: ExportQuery) {
    return this.exports.export(name, query);
  }
}
