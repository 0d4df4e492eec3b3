import { same } from '../common/same';
import type { Members } from './event';

interface Changes {
  before: Members;
  after: Members;
}

/** The members in which two representations differ, on either side. */
export function changes(before: object, after: object): Changes {
  const left = before as Members;
  const right = after as Members;
  const changed: Changes = { before: {}, after: {} };
  for (const name of Object.keys(right)) {
    if (same(left[name], right[name])) continue;
    changed.before[name] = left[name];
    changed.after[name] = right[name];
  }
  return changed;
}

/** As `changes`; null where there are none. */
export function differences(before: object, after: object): Changes | null {
  const changed = changes(before, after);
  return Object.keys(changed.after).length > 0 ? changed : null;
}
