import type { Sprint } from '../api/types';
import { sprintName } from '../state/model';

/** The options of a `select` of sprints; their values are the ids. */
export function SprintOptions({ sprints }: { sprints: readonly Sprint[] }) {
  return (
    <>
      {sprints.map((sprint) => (
        <option key={sprint.id} value={String(sprint.id)}>
          {sprintName(sprint)}
        </option>
      ))}
    </>
  );
}
