import { randomKey } from '../../util/random';
import type { Change, Update } from './change';
import type { Pending } from './pending';
import type { Entity } from './rows';
import { withId } from './rows';

/** A confirmed gesture that can be undone. */
export interface Undoable {
  group: string;
  label: string;
  changes: Change[];
  /** What the gesture has set; if someone else has changed it since, it is not undone. */
  effects: Update[];
}

const MAX_UNDO = 50;

/** The effects of earlier changes without the fields that later ones have set again. */
const withoutSetBy = (later: readonly Update[], earlier: readonly Update[]): Update[] =>
  earlier.map((effect) => {
    const same = later.filter(({ kind, id }) => kind === effect.kind && id === effect.id);
    const left = Object.entries(effect.set).filter(
      ([name]) => !same.some(({ set }) => name in set),
    );
    return { ...effect, set: Object.fromEntries(left) };
  });

/** The confirmed gestures of the user that can be undone, the last one first. */
export class UndoStack {
  private gestures: readonly Undoable[] = [];

  /** Removes and returns a gesture, by default the last one; undefined if there is none. */
  take(group = this.gestures.at(-1)?.group): Undoable | undefined {
    const taken = this.gestures.find((each) => each.group === group);
    this.gestures = this.gestures.filter((each) => each !== taken);
    return taken;
  }

  /** Adds a confirmed change to the gesture that it belongs to. */
  add({ group, label }: Pending, inverse: Change[], effects: Update[]): void {
    const last = this.gestures.at(-1);
    const isSame = last?.group === group;
    const all = {
      group,
      label,
      changes: isSame ? [...inverse, ...last.changes] : inverse,
      effects: isSame ? [...withoutSetBy(effects, last.effects), ...effects] : effects,
    };
    const rest = isSame ? this.gestures.slice(0, -1) : this.gestures;
    this.gestures = [...rest, all].slice(-MAX_UNDO);
  }

  /** Adds a change that cannot be undone. The next undo takes it, instead of an earlier change. */
  block(label: string): void {
    const blocking = { group: randomKey(), label, changes: [], effects: [] };
    this.gestures = [...this.gestures, blocking].slice(-MAX_UNDO);
  }

  /** Replaces the id of a created row by the one that the service has assigned. */
  replaceId(entity: Entity, from: number, to: number): void {
    this.gestures = this.gestures.map((each) => ({
      ...each,
      changes: each.changes.map((change) => withId(change, entity, from, to)),
      effects: each.effects.map((effect) => withId(effect, entity, from, to)),
    }));
  }
}
