import type { components } from './schema';

type Schemas = components['schemas'];

export type Board = Schemas['Board'];
export type Weekday = Board['working_days'][number];
export type Sprint = Schemas['Sprint'];
export type Story = Schemas['Story'];
export type Task = Schemas['Task'];
export type Event = Schemas['Event'];
export type Status = Story['status'];
export type Burndown = Schemas['Burndown'];
export type Report = Schemas['Report'];
export type Velocity = Schemas['Velocity'];
export type Forecast = Schemas['Forecast'];
export type Token = Schemas['Token'];
export type Problem = Schemas['Problem'];
export type Batch = Schemas['Batch'];
export type Mapping = Schemas['Mapping'];
export type ImportView = Schemas['Import'];
export type ImportFormat = ImportView['format'];
export type NewStory = Schemas['CreateStory'];
export type NewSprint = Schemas['CreateSprint'];
export type Position = 'first' | 'last' | { before: number } | { after: number };

/** A session, with the name of its user and the scope of the token. */
export type Session = Schemas['Session'] & { actor: string; scope: Schemas['Scope'] };
