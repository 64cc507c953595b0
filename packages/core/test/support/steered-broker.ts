import { latestValue } from '../../src/async/latest-value.ts';
import { asyncQueue } from '../../src/async/queue.ts';
import { sleep } from '../../src/async/sleep.ts';
import type { Assigned, Assignment } from '../../src/induction/assignment.ts';
import type { Beat } from '../../src/induction/beat.ts';
import type { BeatEvent, Beats } from '../../src/induction/beats.ts';
import type { Clock } from '../../src/time/clock.ts';

/** The connection of one member to the broker. A test can interfere with it at every point. */
export interface SteeredMember {
  readonly assignment: Assignment;
  readonly beats: Beats;
  readonly candidacies: boolean[];
  readonly declined: (readonly number[])[];
  readonly closed: string[];
  /** Yields a decision of the coordinator for this member. */
  assign(partitions: readonly number[], how?: Omit<Assigned, 'partitions'>): void;
  /** Yields any value as a decision. */
  outcome(assigned: Assigned): void;
  tell(news: BeatEvent): void;
  /** Whether sent beats are written and written beats are delivered. */
  writes: boolean;
  reads: boolean;
  /** Replacements for calls, usually functions that throw. */
  readonly instead: {
    assigned?: () => AsyncIterable<Assigned>;
    received?: () => AsyncIterable<BeatEvent>;
    send?: () => Promise<void>;
    setCandidate?: () => void;
    declined?: () => void;
    closeAssignment?: () => Promise<void>;
    closeBeats?: () => Promise<void>;
  };
}

/** A log of beats that any number of members write and read. The test decides the assignment. */
export interface SteeredBroker {
  readonly log: Beat[];
  join(): SteeredMember;
}

export function steeredBroker(clock: Clock, latencyMs = 5): SteeredBroker {
  const members = new Set<(beat: Beat, stampedMs: number) => void>();
  const log: Beat[] = [];
  return {
    log,
    join() {
      const news = asyncQueue<BeatEvent>();
      const outcomes = latestValue<Assigned>();
      const member: SteeredMember = {
        candidacies: [],
        declined: [],
        closed: [],
        writes: true,
        reads: true,
        instead: {},
        assign: (partitions, how = {}) => outcomes.set({ partitions: new Set(partitions), ...how }),
        outcome: (assigned) => outcomes.set(assigned),
        tell: (one) => news.push(one),
        assignment: {
          assigned: (signal) => member.instead.assigned?.() ?? outcomes.follow(signal),
          setCandidate(on) {
            member.candidacies.push(on);
            member.instead.setCandidate?.();
          },
          declined(partitions) {
            member.declined.push([...partitions]);
            member.instead.declined?.();
          },
          async close() {
            member.closed.push('assignment');
            await member.instead.closeAssignment?.();
          },
        },
        beats: {
          async send(beats, signal) {
            if (member.instead.send) return await member.instead.send();
            await sleep(clock, latencyMs, signal);
            signal.throwIfAborted();
            if (!member.writes)
              return await new Promise((_, reject) =>
                signal.addEventListener('abort', () => reject(new Error('cut'))),
              );
            for (const beat of beats) {
              log.push(beat);
              for (const hear of members) hear(beat, Math.floor(clock.wallMicros() / 1000));
            }
            await sleep(clock, latencyMs, signal);
          },
          received(partitions, signal) {
            if (member.instead.received) return member.instead.received();
            news.push({ kind: 'listening', partitions });
            return news.drain(signal);
          },
          async close() {
            member.closed.push('beats');
            await member.instead.closeBeats?.();
          },
        },
      };
      members.add((beat, stampedMs) => {
        if (!member.reads) return;
        clock.wake(((clock.now() as number) + latencyMs) as ReturnType<Clock['now']>, () =>
          news.push({ kind: 'beat', beat, stampedMs, receivedAt: clock.now() }),
        );
      });
      return member;
    },
  };
}
