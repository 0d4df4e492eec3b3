/** A command cannot be executed; the message tells the user why. Nothing has changed. */
export class CommandError extends Error {}
