import { MAX_INT32, MIN_INT32 } from '../../http/validation/numbers';
import type { Status } from '../../stories/story.entity';
import type { SourceStatus, Warnings } from '../files/source';
import type { Mapping } from './import.dto';
import { byName, inLowerCase, MAX_NAME, priorityOf, statusOf } from './known-names';

/** Decides what the names of statuses and priorities mean, and remembers it. */
export class MappedNames {
  /** How often each status occurs whose meaning is unknown. */
  readonly unmapped = new Map<string, number>();
  /** The same for priorities. */
  readonly unmappedPriorities = new Map<string, number>();
  private readonly statuses: Map<string, Status>;
  private readonly priorities: Map<string, number>;
  /** What each status became, with its name as the file has it, by its lower-case name. */
  private readonly usedStatuses = new Map<string, Map<Status, string>>();
  private readonly usedPriorities = new Map<string, number>();

  constructor(
    mapping: Mapping,
    private readonly warnings: Warnings,
  ) {
    this.statuses = byName(mapping.status);
    this.priorities = byName(mapping.priority);
  }

  status(of: SourceStatus | null): Status | undefined {
    if (!of) return undefined;
    const name = shortened(of.name);
    const key = inLowerCase(name);
    const known = this.statuses.get(key) ?? of.category ?? statusOf(name);
    if (known === undefined) countUp(this.unmapped, name);
    const status = known ?? 'todo';
    const used = this.usedStatuses.get(key);
    if (!used) this.usedStatuses.set(key, new Map([[status, name]]));
    else if (!used.has(status)) used.set(status, name);
    return status;
  }

  priority(text: string | null, line: number): number | null {
    const name = shortened(text ?? '');
    if (name === '') return null;
    const known = this.priorities.get(inLowerCase(name)) ?? numberOf(name) ?? priorityOf(name);
    if (known === undefined) {
      countUp(this.unmappedPriorities, name);
      this.warnings.at('priority_unknown', line, `"${name}"`);
    }
    if (typeof known === 'number') this.usedPriorities.set(name, known);
    return known ?? null;
  }

  /** Returns the mapping that was used. It omits a status that became several ones, because of its categories. */
  used(): Pick<Mapping, 'status' | 'priority'> {
    const single = [...this.usedStatuses.values()].filter(({ size }) => size === 1);
    return {
      status: Object.fromEntries(
        single.flatMap((used) => [...used].map(([status, name]) => [name, status])),
      ),
      priority: Object.fromEntries(this.usedPriorities),
    };
  }
}

const shortened = (name: string): string => name.trim().slice(0, MAX_NAME).toWellFormed();

const countUp = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);

/** Parses a priority that is a number or begins with a number, such as `3`, `P3` or `P3 - Minor`. */
function numberOf(name: string): number | undefined {
  const number = Number(/^p?(-?\d{1,10}$|\d(?= ?[-–:] ?\p{L}))/iu.exec(name)?.[1] ?? NaN);
  return number >= MIN_INT32 && number <= MAX_INT32 ? number + 0 : undefined;
}
