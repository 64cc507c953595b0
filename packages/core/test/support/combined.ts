import type { SourceOptions } from '../../src/contract/options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import type { anyOf } from '../../src/source/combined/combine.ts';
import { type SteeredSource, steeredSource } from './steered-backend.ts';

/** One source of two that a test steers, and what `leadership$` of its role 0 has told. */
export interface Combined {
  readonly source: LeadershipSource;
  readonly a: SteeredSource;
  readonly b: SteeredSource;
  readonly told: string[];
}

/** Combines two so, member `a` of the groups `ga` and `gb`. */
export function combinedBy(combine: typeof anyOf, options: SourceOptions = {}): Combined {
  const [a, b] = [steeredSource({ group: 'ga', ...options }), steeredSource({ group: 'gb', ...options })];
  const source = combine(a.source, b.source);
  const told: string[] = [];
  source.role(0).leadership$.subscribe(({ state }) => told.push(state));
  return { source, a, b, told };
}

/** What it is told to be right now, and why where it was fenced. */
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

/** Another member that leads. */
export const other = { member: 'x', incarnation: 'x1', token: 50n, metadata: { url: 'x' } } as const;
