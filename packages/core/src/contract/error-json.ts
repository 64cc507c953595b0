import { messageOf } from './message-of.ts';

/** Deeper chains of causes are cut: a cause may be its own cause. */
const causesMax = 5;

/** An error as data that `JSON.stringify` takes, whatever it carries: a cause may be cyclic, or hold a `bigint`. */
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

/** The same for whatever was thrown, which need not be an error. */
export function causeJson(cause: unknown, depth = 0): unknown {
  if (cause instanceof Error) return errorJson(cause, depth);
  const isPlain = cause === null || typeof cause === 'string' || typeof cause === 'number' || typeof cause === 'boolean';
  return isPlain ? cause : messageOf(cause);
}
