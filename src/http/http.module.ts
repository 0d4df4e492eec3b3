import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { PathResources } from './path-resources';
import { ProblemFilter } from './problem.filter';
import { RouteTable } from './route-table';
import { ProblemValidationPipe } from './validation/validation.pipe';

@Global()
@Module({
  providers: [
    PathResources,
    RouteTable,
    { provide: APP_PIPE, useClass: ProblemValidationPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [PathResources, RouteTable],
})
export class HttpModule {}
