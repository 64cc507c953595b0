// The operations whose cost `npm run check` counts and compares with `bench/counts.json`: a
// renewal, a claim, one emission to a subscriber, and others. Each is prepared once and repeated
// many times; only the repetitions count. Nothing depends on real time, on random numbers or on the
// machine.
import {
  type Exchange,
  type Exchanged,
  type Instant,
  leaseBackend,
  openSource,
  resolveOptions,
} from '@leadership/core/adapter';
import { after, nextTurn } from '@leadership/core/internal/engine';
import { MemoryRows, MemoryStore, RowStore } from '@leadership/core/internal/rows';
import { type Input, newMember, step } from '@leadership/core/internal/sessions';
import { manualSource } from '../cost/manual-source.ts';
import { type VirtualClock, virtualClock } from './virtual-clock.ts';

/** A prepared operation. */
export interface Operation {
  readonly clock: VirtualClock;
  /** Runs before each batch, without being counted. */
  reset?(): void;
  /** Runs a batch. Returns, or resolves with, how many operations it contained. */
  batch(): number | Promise<number>;
}

/** All operations, by the name under which their costs are committed. */
export const operations: Readonly<Record<string, () => Operation | Promise<Operation>>> = {
  grant,
  'prolonging grant': prolongingGrant,
  isLeading,
  'lease step': leaseStep,
  'renewal over rows': renewal,
};

/** Partitions of the sources whose grants are counted: enough to hide what a batch adds. */
const partitions = 64;
const termMs = 3_600_000;

/** A grant that begins a term, of which one subscriber is notified. */
function grant(): Operation {
  const clock = virtualClock();
  const { source, host } = manualSource(partitions, clock);
  for (let partition = 0; partition < partitions; partition += 1)
    source.role(partition).leadership$.subscribe();
  let token = 0n;
  const reset = (): void => {
    token += 1n;
    for (let partition = 0; partition < partitions; partition += 1) host.released(partition);
  };
  const sentAt = clock.now();
  const until = after(sentAt, termMs);
  const batch = (): number => {
    for (let partition = 0; partition < partitions; partition += 1)
      host.granted({ partition, token, until, sentAt });
    return partitions;
  };
  return { clock, reset, batch };
}

/** A grant that prolongs a term, as every renewal makes one. */
function prolongingGrant(): Operation {
  const { clock, reset = () => undefined, batch } = grant();
  reset();
  return { clock, batch };
}

function isLeading(): Operation {
  const clock = virtualClock();
  const { source, host } = manualSource(8, clock);
  const role = source.role('invoice-run');
  const sentAt = clock.now();
  host.granted({ partition: role.partition, token: 1n, until: after(sentAt, termMs), sentAt });
  const calls = 1000;
  return {
    clock,
    batch() {
      for (let call = 0; call < calls; call += 1) role.isLeading();
      return calls;
    },
  };
}

/** The steps of a leader that renews: it is woken, and its exchange is answered. */
function leaseStep(): Operation {
  const clock = virtualClock();
  const thresholdMs = 3000;
  const state = newMember({
    group: 'bench',
    member: 'a',
    incarnation: 'a',
    metadata: {},
    partitions: 1,
    thresholdMs,
    thresholdMsMax: thresholdMs,
    driftRate: 0.001,
    campaign: true,
    jitter: 0.5,
    traits: { changesMax: 64 },
  });
  const store = new RowStore();
  let now = 0 as Instant;
  let steps = 0;
  let wakeAt = now;
  const take = (input: Input): void => {
    const made = step(state, input, { now, wallMicros: 1_700_000_000_000_000 });
    steps += 1;
    wakeAt = made.wakeAt;
    for (const output of made.outputs)
      if (output.kind === 'exchange')
        take({ kind: 'exchanged', id: output.id, answer: store.exchange(output) });
  };
  const batch = (): number => {
    const before = steps;
    for (let wakes = 0; wakes < 200; wakes += 1) {
      now = wakeAt;
      take({ kind: 'wake' });
    }
    if (state.led.size === 0) throw new RangeError('the machine does not lead');
    return steps - before;
  };
  take({ kind: 'wake' });
  batch();
  return { clock, batch };
}

/** A renewal of eight partitions through everything between the store and the application. */
async function renewal(): Promise<Operation> {
  const clock = virtualClock();
  const thresholdMs = 3000;
  const options = resolveOptions({ group: 'bench', partitions: 8, thresholdMs, log: false });
  const rows = new CountedRows(new MemoryStore());
  const backend = leaseBackend(options, () => rows);
  const source = openSource(backend, options, { clock, random: () => 0.5 });
  let at = clock.now();
  const pass = async (thresholds: number): Promise<void> => {
    at = after(at, thresholds * thresholdMs);
    await clock.passTo(at);
  };
  await nextTurn();
  await pass(5);
  if (source.held().size !== options.partitions)
    throw new RangeError(
      `the member leads ${source.held().size} of ${options.partitions} partitions`,
    );
  return {
    clock,
    async batch() {
      const before = rows.exchanges;
      await pass(10);
      return rows.exchanges - before;
    },
  };
}

/** Rows without a network, which count their exchanges. */
class CountedRows extends MemoryRows {
  exchanges = 0;

  override exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    this.exchanges += 1;
    return super.exchange(request, signal);
  }
}
