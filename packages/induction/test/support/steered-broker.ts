import { type Clock, sleep } from '@leadership/core/adapter';
import { asyncQueue, latestValue } from '@leadership/core/internal/engine';
import type { Assigned, Assignment } from '../../src/assignment.ts';
import type { Beat } from '../../src/beat.ts';
import type { BeatEvent, Beats } from '../../src/beats.ts';

/** The connection of one member to the broker. A test can interfere with it at every point. */
export interface SteeredMember {
  readonly assignment: Assignment;
  readonly beats: Beats;
  readonly candidacies: boolean[];
  readonly declined: (readonly number[])[];
  readonly closed: string[];
  /** Yields a decision of the coordinator for this member. */
  assign(partitions: readonly number[], details?: Omit<Assigned, 'partitions'>): void;
  /** Yields any value as a decision, also an invalid one. */
  yieldDecision(assigned: Assigned): void;
  /** Yields any value as an event of the log, also an invalid one. */
  yieldEvent(event: BeatEvent): void;
  /** Whether the beats that this member sends are written. */
  writes: boolean;
  /** Whether written beats are delivered to this member. */
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

/** Creates a broker. `latencyMs`: the delay of a write, and of a delivery. Milliseconds. */
export function steeredBroker(clock: Clock, latencyMs = 5): SteeredBroker {
  const deliveries = new Set<(beat: Beat, stampedMs: number) => void>();
  const log: Beat[] = [];
  return {
    log,
    join() {
      const events = asyncQueue<BeatEvent>();
      const decisions = latestValue<Assigned>();
      const member: SteeredMember = {
        candidacies: [],
        declined: [],
        closed: [],
        writes: true,
        reads: true,
        instead: {},
        assign: (partitions, details = {}) =>
          decisions.set({ partitions: new Set(partitions), ...details }),
        yieldDecision: (assigned) => decisions.set(assigned),
        yieldEvent: (event) => events.push(event),
        assignment: {
          assigned: (signal) => member.instead.assigned?.() ?? decisions.follow(signal),
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
              for (const deliver of deliveries)
                deliver(beat, Math.floor(clock.wallMicros() / 1000));
            }
            await sleep(clock, latencyMs, signal);
          },
          received(partitions, signal) {
            if (member.instead.received) return member.instead.received();
            events.push({ kind: 'listening', partitions });
            return events.drain(signal);
          },
          async close() {
            member.closed.push('beats');
            await member.instead.closeBeats?.();
          },
        },
      };
      deliveries.add((beat, stampedMs) => {
        if (!member.reads) return;
        clock.wake(((clock.now() as number) + latencyMs) as ReturnType<Clock['now']>, () =>
          events.push({ kind: 'beat', beat, stampedMs, receivedAt: clock.now() }),
        );
      });
      return member;
    },
  };
}
