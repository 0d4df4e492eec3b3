import { IsFlag } from '../../http/validation/choices';
import { Optional } from '../../http/validation/property';

export class ExportQuery {
  /** Also exports the event log, from which reports and history are read. */
  @Optional() @IsFlag() log?: boolean;
}
