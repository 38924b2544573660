/** What went wrong in words for the operator; the program prints the message as one line and exits 1. */
export class CommandFailure extends Error {}
