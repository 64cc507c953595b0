// Opens a member process with a backend that measures itself (a module of `bench/src/programs`),
// and reads from its log what it has measured.
import type { SpawnedMember } from '@leadership/testkit/faults';

/** A measurement of a module, and the instant of it. */
export interface Measured {
  readonly atNs: bigint;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Returns what the module of a process has measured. */
export function measuredIn({ events }: Pick<SpawnedMember, 'events'>): readonly Measured[] {
  return events
    .filter(({ kind }) => kind === 'measured')
    .map(({ atNs, detail = '{}' }) => ({ atNs, values: JSON.parse(detail) }));
}

/** Returns the growth per second of a total since an instant, summed over all processes. */
export function growthPerSecond(
  processes: readonly Pick<SpawnedMember, 'events'>[],
  name: string,
  sinceNs: bigint,
): number {
  return processes.reduce((sum, member) => {
    const totals = measuredIn(member).filter(
      ({ atNs, values }) => atNs >= sinceNs && name in values,
    );
    const [first, last] = [totals[0], totals.at(-1)];
    if (first === undefined || last === undefined) return Number.NaN;
    const seconds = Number(last.atNs - first.atNs) / 1e9;
    return sum + (Number(last.values[name]) - Number(first.values[name])) / seconds;
  }, 0);
}
