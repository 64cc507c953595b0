// A scenario describes one kind of world: its size, its faults and how often they strike. Here is
// what all protocols have in common.
import type { NetworkConditions } from './network.ts';

/** How long work takes to drain (H2, H3). */
interface Draining {
  readonly ms: readonly [number, number];
  /** Share of the work that never settles. */
  readonly neverShare: number;
  readonly timeoutMs: number;
}

/** The part of a scenario that all protocols have in common. */
export interface CommonScenario<FaultKind extends string = string> {
  readonly name: string;
  readonly partitions: number;
  readonly driftRate: number;
  readonly network: NetworkConditions;
  readonly draining: Draining;
  /** Maximum offset of the wall clocks, in either direction. Milliseconds. */
  readonly wallOffsetMsMax: number;
  /** Minimum and maximum length of a pause, a cut or an absence, in leases. */
  readonly outage: readonly [number, number];
  /** Rate of each fault, in occurrences per simulated minute. */
  readonly perMinute: Readonly<Partial<Record<FaultKind, number>>>;
  /** Faults that occur one at a time, each after the recovery from the previous one. */
  readonly oneByOne?: { readonly of: readonly FaultKind[]; readonly restMs: number };
}

/** Makes variants of a scenario: of another name, with other rates of some faults, and other changes. */
export type Variants<Scenario extends CommonScenario> = (
  name: string,
  perMinute: Scenario['perMinute'],
  changes?: Partial<Scenario>,
) => Scenario;

/** Returns what makes variants of a scenario. */
export function variantsOf<Scenario extends CommonScenario>(usual: Scenario): Variants<Scenario> {
  return (name, perMinute, changes = {}) => ({
    ...usual,
    name,
    ...changes,
    perMinute: { ...usual.perMinute, ...perMinute },
  });
}

/** The size of a world and the length of its leases. */
export interface Size {
  readonly nodes: number;
  readonly partitions: number;
  /** T, in milliseconds. Durations that depend on T scale with it. */
  readonly thresholdMs: number;
}

/** Returns the common durations of a scenario, scaled by `factor`. */
export function scaled<Scenario extends CommonScenario>(
  { network, draining, wallOffsetMsMax }: Scenario,
  factor: number,
): Pick<CommonScenario, 'network' | 'draining' | 'wallOffsetMsMax'> {
  const { ms, neverShare, timeoutMs } = draining;
  const { delayMs, lateShare, lateMsMax, lossShare, duplicateShare } = network;
  return {
    network: { delayMs, lateShare, lateMsMax: lateMsMax * factor, lossShare, duplicateShare },
    draining: { ms: scaledRange(ms, factor), neverShare, timeoutMs: timeoutMs * factor },
    wallOffsetMsMax: wallOffsetMsMax * factor,
  };
}

/**
 * Returns everything of a scenario that scales with the lease: the common durations, and also the
 * delays and the rates of faults.
 */
export function scaledWithLease<Scenario extends CommonScenario & { readonly leaseMs: number }>(
  scenario: Scenario,
  factor: number,
): ReturnType<typeof scaled> & Pick<Scenario, 'leaseMs' | 'perMinute'> {
  const { network, ...common } = scaled(scenario, factor);
  const { lateShare, lateMsMax, lossShare, duplicateShare } = network;
  const delayMs = scaledRange(network.delayMs, factor);
  return {
    ...common,
    network: { delayMs, lateShare, lateMsMax, lossShare, duplicateShare },
    leaseMs: scenario.leaseMs * factor,
    perMinute: changedRates(scenario.perMinute, (rate) => rate / factor),
  };
}

/** Returns the rates of all faults, each changed. */
export function changedRates(
  perMinute: CommonScenario['perMinute'],
  change: (rate: number) => number,
): Readonly<Record<string, number>> {
  const rates = Object.entries<number | undefined>(perMinute);
  return Object.fromEntries(rates.map(([kind, rate = 0]) => [kind, change(rate)]));
}

export function scaledRange(
  [least, most]: readonly [number, number],
  factor: number,
): readonly [number, number] {
  return [least * factor, most * factor];
}
