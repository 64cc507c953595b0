// Reports the health of the source to `@nestjs/terminus`.
import type { LeadershipSource, Trouble } from '@leadership/core';
import { publicTrouble } from '@leadership/core/internal';
import { Inject, Injectable } from '@nestjs/common';
import { LEADERSHIP_SOURCE } from './tokens.ts';

/** The result of an indicator, as `@nestjs/terminus` reads it. */
export type HealthResult<Key extends string = string> = Readonly<
  Record<
    Key,
    {
      /** Whether `health().ok`. */
      readonly status: 'up' | 'down';
      /** The troubles, if there are any. */
      readonly troubles?: readonly Trouble[];
      /** The warnings, if there are any. */
      readonly warnings?: readonly Trouble[];
    }
  >
>;

/**
 * Reports the health of the source to `@nestjs/terminus`:
 * `health.check([() => leadership.isHealthy()])`. It needs nothing of that package.
 */
export class LeadershipHealthIndicator {
  readonly #source: LeadershipSource;

  /** Called by Nest. */
  constructor(source: LeadershipSource) {
    this.#source = source;
  }

  /** Returns the health of the source under `key`. Of errors it shows name, code and message. */
  isHealthy<const Key extends string = 'leadership'>(
    key: Key = 'leadership' as Key,
  ): HealthResult<Key> {
    const { ok, troubles, warnings } = this.#source.health();
    const result: HealthResult[string] = {
      status: ok ? 'up' : 'down',
      ...(troubles.length > 0 && { troubles: troubles.map(publicTrouble) }),
      ...(warnings.length > 0 && { warnings: warnings.map(publicTrouble) }),
    };
    return { [key]: result } as HealthResult<Key>;
  }
}

Inject(LEADERSHIP_SOURCE)(LeadershipHealthIndicator, undefined, 0);
Injectable()(LeadershipHealthIndicator);
