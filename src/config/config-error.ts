import { ExpectedError } from '../logging/expected-error';

/** The environment has invalid settings; the message has a line for each. */
export class ConfigError extends ExpectedError {
  constructor(readonly errors: string[]) {
    super(['The configuration is invalid:', ...errors.map((error) => `  ${error}.`)].join('\n'));
  }
}
