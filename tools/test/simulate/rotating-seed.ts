// Seed 1 keeps regressions found. What a run has not seen before comes from a seed that is another one in every run.
import { randomInt } from 'node:crypto';
import { type Random, randomFrom } from '@leadership/testkit/world';
import type { Protocol } from '../../src/simulate/protocol.ts';

const seedMax = 2 ** 32;

/** Returns the seed of this run: `SIMULATION_SEED`, or one that no run had before. */
export function rotatingSeed(): number {
  const given = process.env['SIMULATION_SEED'];
  return given === undefined ? randomInt(seedMax) : Number(given);
}

/** Returns the CPU seconds that each protocol may use: `SIMULATION_CPU_SECONDS`, or `usual`. */
export function cpuBudget(usual: number): number {
  return Number(process.env['SIMULATION_CPU_SECONDS'] ?? usual);
}

/** What a hunt came to. */
export interface Hunted {
  readonly worlds: number;
  /** The first violation, and how to see it again. */
  readonly found: string | undefined;
}

/** Long enough for the counters to be judged. Simulated hours. */
function hoursOf({ name }: Protocol): number {
  return name === 'induction' ? 0.2 : 0.5;
}

/** Runs worlds of one scenario after the other, from where the seed says, until the CPU time is used up or a rule was seen broken. */
export function hunted(protocol: Protocol, seed: number, cpuSeconds: number): Hunted {
  const random = randomFrom(seed);
  const first = Math.floor(random.next() * protocol.scenarios.length);
  const begun = process.cpuUsage();
  for (let worlds = 0; ; worlds += 1) {
    if (worlds > 0 && usedSince(begun) > cpuSeconds) return { worlds, found: undefined };
    const scenario = protocol.scenarios[(first + worlds) % protocol.scenarios.length] ?? '';
    const found = violationIn(protocol, scenario, random);
    if (found !== undefined) return { worlds: worlds + 1, found };
  }
}

function violationIn(protocol: Protocol, scenario: string, random: Random): string | undefined {
  const seed = Math.floor(random.next() * seedMax);
  const hours = hoursOf(protocol);
  const journey = { seed, ms: hours * 3_600_000, size: protocol.usualSize, mutant: undefined, scenario };
  for (const { first } of protocol.tour(journey)) {
    if (first === undefined) continue;
    return `${first}\nnpm run simulate -- --protocol ${protocol.name} --scenario ${scenario} --seed ${seed} --hours ${hours}`;
  }
  return undefined;
}

function usedSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
}
