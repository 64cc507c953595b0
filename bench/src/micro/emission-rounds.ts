// The rounds of `emission`. A seat can be taken once, so a round grants a batch of vacant partitions, each with a subscriber of
// its own, and the clock runs during that batch only; the partitions are released before the next. The baseline is timed in
// the very same batches, over as many subjects. Both subscribers count into the same variable, and the count is checked.
import { after, type Host } from '@leadership/core/backend';
import { BehaviorSubject } from 'rxjs';
import { interleave, type Pairs, type Times } from '../measure/rounds.ts';
import { manualSource } from './manual-source.ts';

/** Emissions in one batch: enough that reading the clock does not count, few enough that all stay in the cache. */
const partitions = 64;
/** Batches in one round: a tenth of a millisecond of them, so that the scheduler interrupts few rounds. */
const batches = 12;
/** As long as no run of this takes. Milliseconds. */
const termMs = 3_600_000;

/** What an emission costs, and what its baseline does. Nanoseconds. */
export async function emissionRounds(times: Times): Promise<Pairs> {
  const { source, host } = manualSource(partitions);
  const told = { count: 0 };
  for (let partition = 0; partition < partitions; partition += 1) {
    source.role(partition).leadership$.subscribe(({ state }) => {
      if (state === 'leading') told.count += 1;
    });
  }
  const subjects = Array.from({ length: partitions }, () => subjectFor(told));
  const tokens = { last: 0n };
  const pairs = interleave(
    () => grantAll(host, tokens, told),
    () => nextAll(subjects, told),
    times,
  );
  await source.close();
  return pairs;
}

/** Values like the ones that `leadership$` emits. */
const values = [{ state: 'waiting' }, { state: 'leading' }] as const;
type Value = (typeof values)[number];

function subjectFor(told: { count: number }): BehaviorSubject<Value> {
  const subject = new BehaviorSubject<Value>(values[0]);
  subject.subscribe(({ state }) => {
    if (state === 'leading') told.count += 1;
  });
  return subject;
}

function grantAll(host: Host, tokens: { last: bigint }, told: { count: number }): number {
  const sentAt = host.clock.now();
  const until = after(sentAt, termMs);
  told.count = 0;
  let ms = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    tokens.last += 1n;
    const grants = Array.from({ length: partitions }, (_, partition) => ({ partition, token: tokens.last, until, sentAt }));
    const began = performance.now();
    for (const grant of grants) host.granted(grant);
    ms += performance.now() - began;
    for (let partition = 0; partition < partitions; partition += 1) host.released(partition);
  }
  return perEmission(ms, told.count);
}

function nextAll(subjects: readonly BehaviorSubject<Value>[], told: { count: number }): number {
  told.count = 0;
  let ms = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const began = performance.now();
    for (const subject of subjects) subject.next(values[1]);
    ms += performance.now() - began;
    for (const subject of subjects) subject.next(values[0]);
  }
  return perEmission(ms, told.count);
}

/** Nanoseconds. */
function perEmission(ms: number, count: number): number {
  if (count !== partitions * batches) throw new RangeError(`${count} emissions where there should be ${partitions * batches}`);
  return (ms * 1e6) / count;
}
