import { type Deferred, deferred } from '../../src/async/deferred.ts';
import type { anyOf } from '../../src/combine/combine.ts';
import type { SourceOptions } from '../../src/contract/options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { aborted } from '../../src/process/on-abort.ts';
import { type SteeredSource, steeredSource } from './steered-backend.ts';

/**
 * A combination of two sources that a test controls, and the states that `leadership$` of role 0
 * emitted.
 */
export interface Combined {
  readonly source: LeadershipSource;
  readonly a: SteeredSource;
  readonly b: SteeredSource;
  readonly reported: string[];
}

/** Combines two sources of member `a`, in the groups `ga` and `gb`. */
export function combinedBy(combine: typeof anyOf, options: SourceOptions = {}): Combined {
  const [a, b] = [
    steeredSource({ group: 'ga', ...options }),
    steeredSource({ group: 'gb', ...options }),
  ];
  const source = combine(a.source, b.source);
  const reported: string[] = [];
  source.role(0).leadership$.subscribe(({ state }) => reported.push(state));
  return { source, a, b, reported };
}

/** A source that leads after `resign` until the test reports a successor, as under induction. */
export interface LingeringSource extends SteeredSource {
  /** Ends the resigned term in order. */
  succeed(): void;
}

export function lingeringSource(options: SourceOptions = {}): LingeringSource {
  let succeeded: Deferred<void> | undefined;
  const steered = steeredSource(options, {
    async resign() {
      const role = steered.source.role(0);
      const term = role.term();
      if (term === undefined) return;
      succeeded ??= deferred();
      await Promise.race([succeeded.promise, aborted(term.fenced)]);
      if (role.term() === term) await steered.revoke();
    },
  });
  const succeed = (): void => {
    succeeded?.resolve();
    succeeded = undefined;
  };
  return { ...steered, succeed };
}

/** Returns the current state of `leadership$`, with the reason if it is fenced. */
export function standingOf(source: LeadershipSource): string {
  let standing = '';
  source
    .role(0)
    .leadership$.subscribe((leadership) => {
      standing = leadership.state === 'fenced' ? `fenced: ${leadership.reason}` : leadership.state;
    })
    .unsubscribe();
  return standing;
}

/** A leader on another member. */
export const other = {
  member: 'x',
  incarnation: 'x1',
  token: 50n,
  metadata: { url: 'x' },
} as const;
