import type { Health, Trouble } from '../contract/health.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { RaisedTrouble } from '../source/health-tracker.ts';
import type { Combination } from './combination.ts';

/**
 * Combines the health of several sources: ok only if all are ok. It hides no trouble, even if
 * another source compensates for it.
 */
export function healthOf(
  sources: readonly LeadershipSource[],
  combination: Combination,
  own: Health,
): Health {
  const all = sources.map((source) => ({ ...source.health(), group: source.group }));
  const ignored = all.map((health) => health.ignored);
  const measured = all.map((health) => health.measured);
  return {
    ok: own.troubles.length === 0 && all.every(({ ok }) => ok),
    confirmedMsAgo: combination.confirmedMsAgo(all.map(({ confirmedMsAgo }) => confirmedMsAgo)),
    ignored: folded(ignored, () => (a, b) => a + b),
    measured: folded(measured, worseOf),
    troubles: [...own.troubles, ...all.flatMap(({ group, troubles }) => named(group, troubles))],
    warnings: [...own.warnings, ...all.flatMap(({ group, warnings }) => named(group, warnings))],
  };
}

function named(group: string, troubles: readonly Trouble[]): readonly Trouble[] {
  return troubles.map(
    (trouble) =>
      new RaisedTrouble({ ...trouble, message: `${group}: ${trouble.message}` }, trouble.since),
  );
}

type Numbers = Readonly<Record<string, number>>;

type Fold = (a: number, b: number) => number;

/** Of every measurement but a margin, the greater value is the worse one. */
function worseOf(name: string): Fold {
  return name === 'leaseMarginMs' ? Math.min : Math.max;
}

function folded(records: readonly Numbers[], foldOf: (name: string) => Fold): Numbers {
  const all = new Map<string, number>();
  for (const [name, value] of records.flatMap((record) => Object.entries(record))) {
    const before = all.get(name);
    all.set(name, before === undefined ? value : foldOf(name)(before, value));
  }
  return Object.fromEntries(all);
}
