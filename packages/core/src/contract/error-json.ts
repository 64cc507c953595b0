// Converts errors to plain data for events, health reports and other hosts.
import type { Trouble } from './health.ts';
import { messageOf } from './message-of.ts';

/** The maximum length of a chain of causes, because a cause may be its own cause. */
const causesMax = 5;

/**
 * Converts an error to plain data for `JSON.stringify`. A cause may be cyclic or contain a
 * `bigint`.
 */
export function errorJson(error: Error, depth = 0): Readonly<Record<string, unknown>> {
  const { name, message, stack, cause } = error;
  const code: unknown = 'code' in error ? error.code : undefined;
  const isCode = typeof code === 'string' || typeof code === 'number';
  return {
    name,
    ...(isCode && { code }),
    message,
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && depth < causesMax && { cause: causeJson(cause, depth + 1) }),
  };
}

/** Converts any thrown value to plain data, whether or not it is an error. */
export function causeJson(cause: unknown, depth = 0): unknown {
  if (cause instanceof Error) return errorJson(cause, depth);
  const isPlain =
    cause === null ||
    typeof cause === 'string' ||
    typeof cause === 'number' ||
    typeof cause === 'boolean';
  return isPlain ? cause : messageOf(cause);
}

/**
 * Returns a trouble for readers on other hosts. Of an error that caused it, they receive name, code
 * and message: a stack contains paths of this host.
 */
export function publicTrouble({ cause, ...trouble }: Trouble): Trouble {
  return { ...trouble, ...(cause !== undefined && { cause: publicCause(cause) }) };
}

function publicCause(cause: unknown): unknown {
  if (!(cause instanceof Error)) return causeJson(cause);
  const { stack, ...shown } = errorJson(cause, causesMax);
  return shown;
}
