import type { components } from './schema';

type Schemas = components['schemas'];

export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';
export type Board = Schemas['Board'] & { working_days?: Weekday[] };
export type Sprint = Schemas['Sprint'] & { started_at?: string | null };
export type Story = Schemas['Story'];
export type Task = Schemas['Task'];
export type Event = Schemas['Event'];
export type Status = Story['status'];
export type Burndown = Schemas['Burndown'];
export type Problem = Schemas['Problem'];
export type NewStory = Schemas['CreateStory'];
export type Position = 'first' | 'last' | { before: number } | { after: number };

/** Who uses the board, and what the token allows. */
export interface Session {
  actor: string;
  scope: 'read' | 'write' | 'admin';
  /** Null: all boards. */
  boards: string[] | null;
  token_required: boolean;
}
