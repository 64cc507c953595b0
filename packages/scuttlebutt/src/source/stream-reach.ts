// Reports to the host whether messages that do not fit into a datagram arrive at the others. They
// need TCP, and a firewall may pass UDP alone: then all members seem to live, and no large
// declaration arrives.
import { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import { after, longAgo } from '@leadership/core/internal/engine';
import { type MemberState, seemsAlive } from '../protocol/state.ts';
import { frameMs } from '../transport/streams.ts';
import type { TrackerParts } from './tracker-parts.ts';

interface Blocked {
  /** The first failure since a message arrived: another text would be reported as news. */
  readonly error: Error;
  /** When the latest message failed. */
  failedAt: Instant;
  /** When the report ends, if no further message fails: none was needed. */
  endsAt: Instant;
  /** Since when the member fails to receive streams and yet seems to live, but for short suspicions. */
  receivedSince: Instant | undefined;
  /** When the member seemed to live last. */
  receivedAt: Instant;
}

/** A report ends after this number of the times that a member must fail for. */
const shownTimes = 3;

/** Tracks the members at which streams do not arrive. */
export class StreamReach {
  readonly #parts: TrackerParts;
  readonly #blocked = new Map<string, Blocked>();
  /**
   * For how long the streams to a living member must fail: those that began before it lived have
   * ended then.
   */
  readonly #failingMs: number;

  constructor(parts: TrackerParts) {
    this.#parts = parts;
    this.#failingMs = Math.max(parts.thresholdMs, frameMs);
  }

  /** A message did not arrive at a member; `undefined`: one has. */
  settled(member: string, error: Error | undefined): void {
    if (error === undefined) return this.#mend(member);
    const failedAt = this.#parts.shell.host.clock.now();
    const endsAt = after(failedAt, shownTimes * this.#failingMs);
    const before = this.#blocked.get(member) ?? {
      error,
      receivedSince: undefined,
      receivedAt: longAgo,
    };
    this.#blocked.set(member, { ...before, failedAt, endsAt });
  }

  /** Why messages to that member do not arrive. */
  errorOf(member: string): Error | undefined {
    return this.#blocked.get(member)?.error;
  }

  /** Reports the members at which streams do not arrive, and whether they are too many. Once per round. */
  look(state: MemberState): void {
    const { shell } = this.#parts;
    const now = shell.host.clock.now();
    const cut = new Set<string>();
    for (const [name, one] of this.#blocked) if (this.#lookAt(state, name, one, now)) cut.add(name);
    const { voters, member } = state.config;
    const reachable = voters.filter((voter) => voter === member || seemsAlive(state, voter, now));
    const blocked = reachable.filter((voter) => cut.has(voter));
    const isMajority = (count: number): boolean => 2 * count > voters.length;
    // If too few voters seem to live, that is the trouble.
    if (!isMajority(reachable.length) || isMajority(reachable.length - blocked.length))
      return shell.health.mend('streams');
    const why = blocked.map((voter) => `"${voter}" (${this.errorOf(voter)?.message})`).join(', ');
    const sentence = `messages that do not fit into a datagram reach no majority of the voters: they do not arrive at ${why}, although these seem to live. ${remedy}`;
    shell.health.raise('streams', new LeadershipError('unreachable', sentence));
  }

  /** Returns whether streams alone do not arrive at that member. */
  #lookAt(state: MemberState, name: string, one: Blocked, now: Instant): boolean {
    const { warnings } = this.#parts;
    if (now >= one.endsAt) {
      this.#mend(name);
      return false;
    }
    const isAlive = seemsAlive(state, name, now);
    if (isAlive) {
      one.receivedSince ??= now;
      one.receivedAt = now;
    } else if (now - one.receivedAt >= this.#failingMs) one.receivedSince = undefined;
    const isStreamOnly =
      one.receivedSince !== undefined && one.failedAt - one.receivedSince >= this.#failingMs;
    if (isAlive && !isStreamOnly) {
      // It may have been down until now.
      warnings.mend(topicOf(name));
      return false;
    }
    const { message } = one.error;
    const sentence = isStreamOnly
      ? `messages that do not fit into a datagram do not arrive at member "${name}", although it seems to live: ${message}. ${remedy}`
      : `member "${name}" cannot be reached: ${message}`;
    const report = new LeadershipError('unreachable', sentence, { cause: one.error });
    warnings.raise(topicOf(name), report);
    return isStreamOnly;
  }

  #mend(member: string): void {
    if (this.#blocked.delete(member)) this.#parts.warnings.mend(topicOf(member));
  }
}

const remedy = 'Open TCP as well as UDP on that port';

function topicOf(member: string): string {
  return `stream to ${member}`;
}
