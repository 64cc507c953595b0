// The time that a Kafka group needs to settle after an overload. A group of three members and 256
// partitions has settled. Then four more groups of that size start on the same broker and the same
// processors, all at once, and are killed after a minute. Time runs from their end until the last
// term of the first group began or ended; the group has settled as in `settle`. The baseline is 10
// T.
import { setTimeout as pause } from 'node:timers/promises';
import { msBetween } from '../measure/ms-between.ts';
import type { Report } from '../report/figures.ts';
import type { Size } from './backends.ts';
import { type BackendConfig, type MemberProcess, startProcess } from './member.ts';
import { type TermLog, termLogOf } from './term-log.ts';

/** The measured size, the load beside it, and T. */
export interface OverloadOptions {
  readonly size: Size;
  readonly members: number;
  /** How many more groups of that size cause the overload, and for how long. */
  readonly groups: number;
  readonly overloadMs: number;
  readonly thresholdMs: number;
}

/**
 * The time in which the group has to settle again, the time without a change after which it counts
 * as settled, and its patience. In T.
 */
const [limitThresholds, quietThresholds, timeoutThresholds] = [10, 3, 60];

/** A group of processes, one for each member, and the log of its terms. */
interface Group {
  readonly log: TermLog;
  readonly processes: readonly MemberProcess[];
}

/** Runs the benchmark once. */
export async function overload(options: OverloadOptions): Promise<Report> {
  const { size, members: count, groups, overloadMs, thresholdMs } = options;
  await using open = await size.open(count);
  const { backend, members } = open;
  const usual = await begin(options, backend, members);
  try {
    await settled(usual, thresholdMs);
    const before = usual.log.needless;
    const names = (index: number): readonly string[] =>
      members.map((member) => `${member}-${index}`);
    const load = await Promise.all(
      Array.from({ length: groups }, (_, index) =>
        begin(options, apart(backend, index), names(index)),
      ),
    );
    await pause(overloadMs);
    const led = load.reduce((sum, { log }) => sum + log.led, 0);
    await Promise.all(load.map(end));
    const endedNs = process.hrtime.bigint();
    const isSettled = await settled(usual, thresholdMs);
    const { changedNs, needless } = usual.log;
    const ms = changedNs < endedNs ? 0 : msBetween(endedNs, changedNs);
    const thresholds = isSettled ? ms / thresholdMs : timeoutThresholds;
    return report(
      options,
      thresholds,
      `${led} of ${groups * size.partitions} partitions of the other groups were led at the end of the overload; ${needless - before} terms of the group began because of it`,
    );
  } finally {
    await end(usual);
  }
}

/** A topic of its own for each group of the load. */
function apart(backend: BackendConfig, index: number): BackendConfig {
  return backend.kind === 'kafka'
    ? { ...backend, topic: `${backend.topic}-load-${index}` }
    : backend;
}

async function begin(
  { size, thresholdMs }: OverloadOptions,
  backend: BackendConfig,
  members: readonly string[],
): Promise<Group> {
  const log = termLogOf({ partitions: size.partitions, members: members.length });
  const processes = members.map((member) =>
    startProcess({ backend, members: [member], partitions: size.partitions, thresholdMs }),
  );
  for (const one of processes)
    one.listen(
      (message) => (message.kind === 'began' || message.kind === 'ended') && log.take(message),
    );
  await Promise.all(processes.map((one) => one.next('loaded')));
  for (const one of processes) one.send({ kind: 'begin' });
  return { log, processes };
}

async function end({ processes }: Group): Promise<void> {
  await Promise.all(processes.map((one) => one.kill()));
}

/** Resolves with whether the group settles before patience runs out. */
async function settled({ log }: Group, thresholdMs: number): Promise<boolean> {
  const beganNs = process.hrtime.bigint();
  const since = (fromNs: bigint): number =>
    msBetween(fromNs, process.hrtime.bigint()) / thresholdMs;
  const isSettled = (): boolean => log.isShared && since(log.changedNs) >= quietThresholds;
  while (!isSettled() && since(beganNs) < timeoutThresholds) await pause(thresholdMs / 20);
  return isSettled();
}

function report(
  { size, members, overloadMs, thresholdMs }: OverloadOptions,
  thresholds: number,
  note: string,
): Report {
  const figures = {
    name: 'settle-after-overload',
    unit: 'T',
    runs: 1,
    p50: thresholds,
    p99: thresholds,
  } as const;
  return {
    figures: {
      ...figures,
      baseline: limitThresholds,
      ratio: thresholds / limitThresholds,
      limit: 1,
      better: 'lower',
    },
    against: `ten T; T ${thresholdMs} ms; ${size.backend} ${size.partitions} × ${members} after ${overloadMs / 1000} s of overload`,
    notes: [note],
  };
}
