import { same } from '../common/same';
import type { Members } from './event';

/** The members in which two representations differ, on either side; null where there are none. */
export function differences(
  before: object,
  after: object,
): { before: Members; after: Members } | null {
  const left = before as Members;
  const right = after as Members;
  const changed = { before: {} as Members, after: {} as Members };
  let any = false;
  for (const name of Object.keys(right)) {
    if (!same(left[name], right[name])) {
      changed.before[name] = left[name];
      changed.after[name] = right[name];
      any = true;
    }
  }
  return any ? changed : null;
}
