// The injection tokens of the source and of its roles.
import { Inject } from '@nestjs/common';

/** The token of the source, for `@Inject` and for providers. */
export const LEADERSHIP_SOURCE: unique symbol = Symbol.for('@leadership/nestjs source');

/** Returns the token of a role that `LeadershipModule.forFeature` provides. */
export function roleToken(role: string | number): string {
  return `@leadership/nestjs role ${role}`;
}

/** A decorator that injects the `LeadershipSource` of the application. */
export function InjectSource(): ReturnType<typeof Inject> {
  return Inject(LEADERSHIP_SOURCE);
}

/** A decorator that injects a `Role` that `LeadershipModule.forFeature` provides. */
export function InjectRole(role: string | number): ReturnType<typeof Inject> {
  return Inject(roleToken(role));
}
