import { Injectable } from '@nestjs/common';

/** Whether this instance is on its way down. */
@Injectable()
export class Lifecycle {
  stopping = false;
}
