import { IsFlag, Optional } from '../../http/validation';

export class ExportQuery {
  /** Also exports the event log, from which reports and history are read. */
  @Optional() @IsFlag() log?: boolean;
}
