// Runs one soak test: member processes of one group, under random faults for minutes or hours.
import { setTimeout as pause } from 'node:timers/promises';
import { type Violation, violationsOf } from '@leadership/testkit/faults';
import { isAfterLoss } from './after-losses.ts';
import type { MemberFault, MemberSlot, SoakContext, SoakEnvironment } from './environment.ts';
import { processFaults } from './faults.ts';
import { ledNow } from './led-now.ts';
import { closeMembers, startMembers } from './members.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { createRng } from './rng.ts';
import type { SoakSettings } from './settings.ts';

/** The result of a soak. */
export interface SoakReport {
  readonly settings: SoakSettings;
  /** The name of the environment. */
  readonly environment: string;
  readonly tookMs: number;
  readonly recorder: Recorder;
  /** The promises that the members' events show to be broken. */
  readonly contradictions: readonly Violation[];
  /**
   * Violations that the store does not exclude while it may lose writes: two members that lead, or
   * work, at once, and two claims at once whose tokens are not in the order of their terms.
   */
  readonly afterLosses: readonly Violation[];
  /**
   * One sentence for each contradiction and for each member that failed by itself. Empty if the
   * soak passed.
   */
  readonly broken: readonly string[];
}

/** Pause after the start of each fault, in multiples of T. */
const restThresholds = { least: 0.05, most: 0.4 };
/** Number of faults between two progress lines, which amounts to a few minutes. */
const progressEvery = 500;

/**
 * Runs the members of one group under random faults and checks the events that they report. Rejects
 * if a fault cannot be injected, or if the partitions are not led again afterwards. `log` receives
 * lines about the progress.
 */
export async function soak(
  settings: SoakSettings,
  environment: SoakEnvironment,
  log: (line: string) => void = () => undefined,
): Promise<SoakReport> {
  const beganAt = performance.now();
  const base = { settings, environment, rng: createRng(settings.seed), recorder: createRecorder() };
  await using members = await startMembers(base);
  const context = { ...base, members };
  await allPartitionsLed(context, 'start');
  await injectFaults(context, log);
  await allPartitionsLed(context, 'last fault');
  await closeMembers(members, context.recorder);
  const tookMs = performance.now() - beganAt;
  const all = violationsOf(base.recorder.terms);
  const afterLosses = all.filter((violation) =>
    isAfterLoss(violation, environment.lossy ?? [], settings.thresholdMs),
  );
  const found = all.filter((violation) => !afterLosses.includes(violation));
  const broken = [...found.map(({ message: sentence }) => sentence), ...base.recorder.failures];
  return {
    settings,
    environment: environment.name,
    tookMs,
    recorder: base.recorder,
    contradictions: found,
    afterLosses,
    broken,
  };
}

/**
 * Starts faults at random intervals until the time is over, then waits until all have ended.
 * Several may overlap.
 */
async function injectFaults(context: SoakContext, log: (line: string) => void): Promise<void> {
  const { settings, rng, recorder } = context;
  const until = performance.now() + settings.durationMs;
  const injectEnvironmentFault = environmentFaultInjector(context);
  const running = new Set<Promise<void>>();
  let failed: { readonly error: unknown } | undefined;
  for (let count = 1; performance.now() < until && failed === undefined; count += 1) {
    const fault = injectFault(context, injectEnvironmentFault, count).catch((error: unknown) => {
      failed ??= { error };
    });
    running.add(fault);
    void fault.then(() => running.delete(fault));
    await pause(rng.between(restThresholds.least, restThresholds.most) * settings.thresholdMs);
    if (count % progressEvery === 0)
      log(`${recorder.terms.length} terms of ${recorder.counts.get('lives') ?? 0} lives so far`);
  }
  await Promise.all(running);
  if (failed) throw failed.error;
}

async function injectFault(
  context: SoakContext,
  injectEnvironmentFault: () => Promise<void>,
  count: number,
): Promise<void> {
  const { settings, environment, rng, members, recorder } = context;
  const { faultFreeMin = 2 } = settings;
  const { environmentFaultEvery = 20 } = environment;
  if (count % environmentFaultEvery === 0) return injectEnvironmentFault();
  const idle = members.slots.filter(({ busy }) => !busy);
  if (idle.length <= faultFreeMin) return;
  const slot = rng.pick(idle);
  const [name, fault] = rng.pick(
    Object.entries<MemberFault>({ ...processFaults, ...environment.memberFaults }),
  );
  slot.busy = true;
  recorder.count(`fault: ${name}`);
  await fault(context, slot);
  slot.busy = false;
}

/**
 * Returns a function that injects an environment fault, unless the previous one still lasts: they
 * never overlap.
 */
function environmentFaultInjector(context: SoakContext): () => Promise<void> {
  const { environment, rng, recorder } = context;
  let isRunning = false;
  return async () => {
    if (isRunning) return;
    const [name, fault] = rng.pick(Object.entries(environment.environmentFaults));
    recorder.count(`fault: ${name}`);
    isRunning = true;
    await fault(context);
    isRunning = false;
  };
}

/**
 * Timeout for all partitions to be led without faults, in milliseconds. Generous, for a starved
 * machine.
 */
const timeoutMs = 60_000;

/** Resolves once a running member leads every partition. Rejects after `timeoutMs`. */
async function allPartitionsLed(
  { settings, members, recorder }: SoakContext,
  since: string,
): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (let led = 0; led < settings.partitions; ) {
    if (performance.now() > until)
      throw new Error(
        [
          `only ${led} of ${settings.partitions} partitions are led ${timeoutMs} ms after the ${since}`,
          ...recorder.failures,
        ]
          .concat(members.slots.map(lastEvents))
          .join('\n'),
      );
    await pause(settings.thresholdMs / 10);
    const nowNs = process.hrtime.bigint();
    led = new Set(members.slots.flatMap(({ member }) => ledNow(member.events, nowNs))).size;
  }
}

/** How many of each member's last events the error shows. */
const eventsMax = 8;

function lastEvents({ name, member }: MemberSlot): string {
  const events = member.events
    .slice(-eventsMax)
    .map(({ kind, partition, detail }) => [kind, partition, detail].filter(isDefined).join(' '));
  return `${name}: ${events.join('; ')}`;
}

const isDefined = (word: unknown): boolean => word !== undefined;
