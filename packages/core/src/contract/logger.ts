/**
 * The destination of a source's reports. `console`, pino loggers and winston loggers fit. Each call
 * passes one text with the code, the group, the member, the message, and the cause with its stack.
 */
export interface Logger {
  /** Receives troubles. While one lasts, `health().ok` is false. */
  error(text: string): unknown;
  /** Receives warnings. */
  warn(text: string): unknown;
  /** Receives the end of each reported trouble and warning. */
  info(text: string): unknown;
}
