// One member's connection to the broker, the counterpart of a real adapter.
import { LeadershipError } from '@leadership/core';
import type { Clock, Host } from '@leadership/core/adapter';
import { type AsyncQueue, asyncQueue, latestValue } from '@leadership/core/internal/engine';
import {
  type Assigned,
  type BeatEvent,
  formatBeat,
  type InductionParts,
  parseBeat,
} from '@leadership/induction';
import type { Broker } from './broker.ts';
import type { TopicLog } from './topic-log.ts';

/** The faults that a test injects into a connection. */
interface ConnectionFaults {
  /**
   * Cuts both directions until the result is disposed. The member then reads the lines that were
   * written in between.
   */
  cut(): Disposable;
}

/** The connection of one member. */
export interface Connection extends InductionParts, ConnectionFaults {}

/** The identity of the connecting member. */
export interface Connecting {
  readonly group: string;
  readonly partitions: number;
}

export function connect(
  broker: Broker,
  { group, partitions }: Connecting,
  { incarnation, clock }: Pick<Host, 'incarnation' | 'clock'>,
): Connection {
  const link = { isCut: false, lost: new Set<() => void>(), restored: new Set<() => void>() };
  const outcomes = latestValue<Assigned | Error>();
  const coordinator = broker.coordinator(group, clock);
  let isStanding = false;
  let declined: ReadonlySet<number> = new Set();
  const join = (): void => {
    const assigned = (outcome: Assigned): void => outcomes.set(outcome);
    try {
      coordinator.join({ incarnation, partitions, declined, isCut: () => link.isCut, assigned });
    } catch (error) {
      outcomes.set(error as Error);
    }
  };
  const stand = (on: boolean): void => {
    isStanding = on;
    if (on && !link.isCut) join();
    if (!on) coordinator.leave(incarnation);
  };
  return {
    assignment: {
      async *assigned(signal) {
        for await (const outcome of outcomes.follow(signal)) {
          if (outcome instanceof Error) throw outcome;
          yield outcome;
        }
      },
      setCandidate: stand,
      declined(now) {
        declined = now;
        if (isStanding && !link.isCut) join();
      },
      close: () => Promise.resolve(stand(false)),
    },
    beats: beatsOver(broker, link, clock),
    cut() {
      link.isCut = true;
      coordinator.lose(incarnation);
      for (const lost of link.lost) lost();
      return {
        [Symbol.dispose]() {
          link.isCut = false;
          // A candidate rejoins even if its session survived, because it missed assignments during
          // the cut.
          coordinator.find(incarnation);
          if (isStanding) join();
          for (const restored of link.restored) restored();
        },
      };
    },
  };
}

interface Link {
  isCut: boolean;
  /** Runs when the connection is cut. */
  readonly lost: Set<() => void>;
  /** Runs when the connection is restored. */
  readonly restored: Set<() => void>;
}

function beatsOver(broker: Broker, link: Link, clock: Clock): InductionParts['beats'] {
  const positions: Positions = new Map();
  return {
    async send(beats, signal) {
      if (link.isCut) await never(signal);
      for (const beat of beats) broker.log(beat.partition).append(formatBeat(beat));
      if (link.isCut) await never(signal);
    },
    async *received(partitions, signal) {
      const events = asyncQueue<BeatEvent>();
      const broken = new AbortController();
      const breaks = (): void => broken.abort();
      if (link.isCut) await restored(link, signal);
      link.lost.add(breaks);
      const readers = partitions.map((partition) =>
        follow(broker.log(partition), link, { events, clock, positions }),
      );
      try {
        events.push({ kind: 'listening', partitions });
        yield* events.drain(AbortSignal.any([signal, broken.signal]));
        if (!signal.aborted)
          throw new LeadershipError('unreachable', 'the member is cut off from the broker');
      } finally {
        link.lost.delete(breaks);
        for (const reader of readers) reader[Symbol.dispose]();
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Resolves once the connection is restored or the signal aborts. */
function restored(link: Link, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      link.restored.delete(over);
      resolve();
    };
    link.restored.add(over);
    signal.addEventListener('abort', over, { once: true });
  });
}

/** The offset in each log at which a broken reader resumes. */
type Positions = Map<TopicLog, number>;

interface Following {
  readonly events: AsyncQueue<BeatEvent>;
  readonly clock: Clock;
  readonly positions: Positions;
}

/** Reads a log in order from its end, or from the resume offset, while the connection is up. */
function follow(log: TopicLog, link: Link, { events, clock, positions }: Following): Disposable {
  let position = positions.get(log) ?? log.end;
  positions.set(log, position);
  const read = (): void => {
    if (link.isCut) return;
    for (const { text, stampedMs } of log.from(position)) {
      const beat = parseBeat(text);
      events.push(
        beat
          ? { kind: 'beat', beat, stampedMs, receivedAt: clock.now() }
          : { kind: 'ignored', what: 'no-beat' },
      );
    }
    position = log.end;
    positions.set(log, position);
  };
  read();
  return log.listen(read);
}

/** Rejects when the member aborts a request that receives no response. */
function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = (): void => reject(new Error('the member is cut off from the broker'));
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
