import { Injectable } from '@nestjs/common';

/** Whether this instance is shutting down. */
@Injectable()
export class Lifecycle {
  stopping = false;
}
