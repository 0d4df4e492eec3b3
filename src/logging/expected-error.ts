/** An error whose message is all that a user needs; the program prints it without a stack trace, and ends. */
export class ExpectedError extends Error {}
