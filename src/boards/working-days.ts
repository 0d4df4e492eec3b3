/** The days of the week, in order. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The default working days of a board. */
export const DEFAULT_WORKING_DAYS: Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri'];

/** Working days as they are stored: a comma-separated string. */
export const storedWorkingDays = (days: readonly Weekday[]): string => days.join(',');

export const parseWorkingDays = (stored: string): Weekday[] => stored.split(',') as Weekday[];
