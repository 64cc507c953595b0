/**
 * Where a source reports what goes wrong: `console`, a pino logger and a winston logger fit. Each call passes one text, which holds
 * the code, the group, the member, the message, and the cause with its stack.
 */
export interface Logger {
  /** Receives troubles: while one lasts, `health().ok` is false. */
  error(text: string): unknown;
  /** Receives warnings. */
  warn(text: string): unknown;
  /** Receives the end of each reported trouble and warning. */
  info(text: string): unknown;
}
