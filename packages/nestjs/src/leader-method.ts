// Wraps a method of a provider, for the decorators `OnlyLeader` and `LeaderCron`.
import { LeadershipError, type LeadershipSource } from '@leadership/core';
import { Inject } from '@nestjs/common';
import { LEADERSHIP_SOURCE } from './tokens.ts';

/** The property of a provider under which Nest injects the source. */
const injected: unique symbol = Symbol('source');

/** One call of a method. */
export interface Call {
  readonly source: LeadershipSource;
  /** The arguments of the call. */
  readonly args: readonly unknown[];
  /** The object whose method was called. */
  readonly instance: Readonly<Record<symbol, unknown>>;
  /** Runs the method. */
  readonly run: (args: readonly unknown[]) => unknown;
}

/** Replaces a method by `around`, which decides whether it runs, and lets Nest inject the source. */
export function leaderMethod(
  target: object,
  key: string | symbol,
  descriptor: PropertyDescriptor,
  around: (call: Call) => unknown,
): void {
  const value: unknown = descriptor.value;
  if (typeof value !== 'function')
    throw new LeadershipError('invalid-options', `${nameOf(target, key)} must be a method`);
  const method = value as (...args: readonly unknown[]) => unknown;
  function wrapped(this: Call['instance'], ...args: readonly unknown[]): unknown {
    const source = this[injected] as LeadershipSource | undefined;
    if (source === undefined)
      throw new LeadershipError(
        'invalid-options',
        `${nameOf(target, key)} runs on the leader only, but Nest did not create its object; list the class in the providers of a module, and import LeadershipModule`,
      );
    return around({ source, args, instance: this, run: (given) => method.apply(this, [...given]) });
  }
  // Other decorators keep what they know about a method on the function.
  for (const name of Reflect.getMetadataKeys(method))
    Reflect.defineMetadata(name, Reflect.getMetadata(name, method), wrapped);
  Object.defineProperty(wrapped, 'name', { value: method.name });
  descriptor.value = wrapped;
  Inject(LEADERSHIP_SOURCE)(target, injected);
}

function nameOf(target: object, key: string | symbol): string {
  return `${target.constructor.name}.${String(key)}`;
}
