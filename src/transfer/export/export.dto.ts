import { IsFlag } from '../../http/validation/choices';
import { MayBeAbsent } from '../../http/validation/property';

export class ExportQuery {
  /** Also exports the event log, from which reports and history are read. */
  @MayBeAbsent() @IsFlag() log?: boolean;
}
