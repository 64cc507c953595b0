// Reports to the host whether gossip passes between this member and a majority of the voters, in
// both directions: ready, or no quorum. The gossip itself shows it, so the report ends without any
// campaign.
import { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import { after, longAgo } from '@leadership/core/internal/engine';
import { isSameLife } from '../protocol/election/declaration.ts';
import { helpsToLearn, mayVote } from '../protocol/election/learning.ts';
import { type MemberState, seemsAlive } from '../protocol/state.ts';
import { StreamReach } from './stream-reach.ts';
import { shownThresholds, type TrackerParts } from './tracker-parts.ts';

/** The greatest number of members whose clocks are reported. */
const aheadMax = 16;
const yearMicros = 31_557_600_000_000;

/** Tracks the voters from which this member receives gossip. */
export class Connectivity {
  readonly #parts: TrackerParts;
  readonly #startedAt: Instant;
  /** When a reply has last shown that a message of this member arrived somewhere. */
  #answeredAt: Instant = longAgo;
  /** By member: why it cannot be reached. */
  readonly #failures = new Map<string, Error>();
  readonly #streams: StreamReach;
  /** By member: why its messages are ignored, and until when that is reported. */
  readonly #ignored = new Map<string, { report: LeadershipError; endsAt: Instant }>();
  /** Whether a message of any member has arrived. */
  #hasReceived = false;
  /** By member: since when its host name has no address. */
  readonly #unresolvedSince = new Map<string, Instant>();
  /** Whether datagrams with a wrong signature have arrived since the last one that was right. */
  #seesForgery = false;

  constructor(parts: TrackerParts) {
    this.#parts = parts;
    this.#startedAt = parts.shell.host.clock.now();
    this.#streams = new StreamReach(parts);
  }

  /** A message of that member has arrived; a reply answers one of this member. */
  received(member: string, isReply: boolean): void {
    const { shell, warnings } = this.#parts;
    const { host, health } = shell;
    host.confirmed();
    this.#seesForgery = false;
    this.#hasReceived = true;
    if (this.#ignored.delete(member)) warnings.mend(clockTopicOf(member));
    if (this.#failures.delete(member)) warnings.mend(topicOf(member));
    // A socket that receives has not failed for good.
    if (this.#failures.delete(host.member)) health.mend(topicOf(host.member));
    if (isReply) this.#answeredAt = host.clock.now();
  }

  /** A message was ignored, because its sender started with a wall clock that is too far ahead. */
  ignored(member: string, aheadMicros: number): void {
    const { shell, warnings, thresholdMs } = this.#parts;
    if (this.#ignored.size >= aheadMax && !this.#ignored.has(member)) return;
    // Whole years, so that the sentence stays the same while the message is repeated.
    const years = Math.floor(aheadMicros / yearMicros);
    const sentence = `member "${member}" is ignored: the wall clock with which it started is ${years} years ahead of the one of this host. Set both clocks, then restart the member whose clock was wrong`;
    const report = new LeadershipError('assumption-broken', sentence);
    const endsAt = after(shell.host.clock.now(), shownThresholds * thresholdMs);
    this.#ignored.set(member, { report, endsAt });
    warnings.raise(clockTopicOf(member), report, endsAt);
  }

  #endIgnored(now: Instant): void {
    for (const [name, { endsAt }] of this.#ignored) if (now >= endsAt) this.#ignored.delete(name);
  }

  forged(): void {
    this.#seesForgery = true;
  }

  /** A message could not be sent to a member. The report ends when that member sends something, or T later. */
  failed(member: string, error: Error): void {
    const { shell, warnings } = this.#parts;
    const { host, health } = shell;
    this.#failures.set(member, error);
    const isOwn = member === host.member;
    const sentence = isOwn
      ? `the socket of this member has failed: ${error.message}`
      : `member "${member}" cannot be reached: ${error.message}`;
    const cause = { cause: error };
    const endsAt = after(host.clock.now(), this.#parts.thresholdMs);
    const report = new LeadershipError('unreachable', sentence, cause);
    // News of other members arrive over others too: a group can work although one is out of reach.
    (isOwn ? health : warnings).raise(topicOf(member), report, endsAt);
  }

  /** A message that needs a stream did not arrive at a member; `undefined`: one has. */
  streamed(member: string, error: Error | undefined): void {
    this.#streams.settled(member, error);
  }

  /**
   * The host name of a voter or a seed has no address; `undefined`: it has one. This is a trouble if
   * it lasts for T: the name is wrong, or the name server does not work.
   */
  unresolved(member: string, error: Error | undefined): void {
    const { shell, thresholdMs } = this.#parts;
    const topic = `name of ${member}`;
    if (error === undefined) {
      this.#unresolvedSince.delete(member);
      return shell.health.mend(topic);
    }
    const now = shell.host.clock.now();
    const since = this.#unresolvedSince.get(member) ?? now;
    this.#unresolvedSince.set(member, since);
    this.failed(member, error);
    if (now - since < thresholdMs) return;
    const sentence = `the host name of member "${member}" has no address: ${error.message}. Check the name, and the name server`;
    shell.health.raise(topic, new LeadershipError('unreachable', sentence, { cause: error }));
  }

  /**
   * A term has expired, because no majority has voted in time. Only a new answer shows that messages
   * of this member arrive.
   */
  expired(state: MemberState): void {
    this.#answeredAt = longAgo;
    this.look(state);
  }

  /** Compares the voters that seem to live with a majority, and reports the result. */
  look(state: MemberState): void {
    const { shell, thresholdMs } = this.#parts;
    const { host, health } = shell;
    const now = host.clock.now();
    this.#endIgnored(now);
    const { voters, member } = state.config;
    const missing = voters.filter((voter) => voter !== member && !seemsAlive(state, voter, now));
    const reachable = voters.length - missing.length;
    host.measured('votersHeard', reachable);
    const clock = now - state.startedAt;
    const doesItsPart = this.#lookAtVoting(state, clock);
    const isAlone = voters.length === 1 && voters[0] === member;
    const isAnswered = isAlone || now - this.#answeredAt < thresholdMs;
    const isQuorate = 2 * reachable > voters.length;
    if (isQuorate && isAnswered) {
      health.mend('quorum');
      if (doesItsPart) shell.ready();
    } else if (shell.admission === 'ready' || now - this.#startedAt >= thresholdMs)
      health.raise('quorum', isQuorate ? this.#notAnswered(voters) : this.#notReceived(missing));
    this.#streams.look(state);
    this.#lookAtMemory(state, clock);
  }

  /**
   * Measures whether a voter votes. Returns whether the member does what the group needs it for: a
   * voter that starts is silent for T and then learns, and until it votes, the group cannot lose
   * another one. A rolling restart waits for `ready()`.
   */
  #lookAtVoting({ config, election }: MemberState, clock: number): boolean {
    if (!isVoter(config)) return election.isAdmitted;
    const votes = mayVote(election, clock);
    this.#parts.shell.host.measured('voting', votes ? 1 : 0);
    return votes;
  }

  /** Reports a voter that has started and still waits for answers of others before it votes (T1). */
  #lookAtMemory(state: MemberState, clock: number): void {
    const { shell, thresholdMs } = this.#parts;
    const { memory, mutedUntil } = state.election;
    const isLate =
      isVoter(state.config) && !memory.remembers && clock >= mutedUntil + thresholdMs / 2;
    const awaited = isLate ? unansweredBy(state) : [];
    if (awaited.length === 0) return shell.health.mend('memory');
    const sentence = `this voter has started and does not vote yet: it waits for ${awaited.join(', ')}, which may know greater tokens. ${waysOut}`;
    shell.health.raise('memory', new LeadershipError('no-quorum', sentence));
  }

  #notReceived(missing: readonly string[]): LeadershipError {
    const cause = this.#causeIn(missing);
    const hint = this.#seesForgery
      ? '. Messages with a wrong signature arrive: give all members the same keys'
      : this.#hasReceived
        ? ''
        : `. If they run, check that they can reach the address of this member, and ${clockHint}`;
    const sentence = `no messages arrive from a majority of the voters: ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} silent${cause ? ` (${cause.message})` : ''}${hint}`;
    return new LeadershipError('no-quorum', sentence, { cause });
  }

  #notAnswered(voters: readonly string[]): LeadershipError {
    const cause = this.#causeIn(voters);
    const sentence = `messages arrive from a majority of the voters, but no member answers those of this one${cause ? ` (${cause.message})` : ''}: check that they can reach its address, that it can send, and ${clockHint}`;
    return new LeadershipError('no-quorum', sentence, { cause });
  }

  /** The reason for which one of these cannot be reached. */
  #causeIn(names: readonly string[]): Error | undefined {
    return names
      .map(
        (name) =>
          this.#ignored.get(name)?.report ??
          this.#failures.get(name) ??
          this.#streams.errorOf(name),
      )
      .find((one) => one !== undefined);
  }
}

function isVoter({ voters, member }: MemberState['config']): boolean {
  return voters.includes(member);
}

/** The other voters whose answers are missing, or do not help. */
function unansweredBy({ config, gossip, election }: MemberState): readonly string[] {
  const self = { member: config.member, generation: election.generation };
  const { query } = election.memory;
  return config.voters.filter((voter) => {
    const answers = gossip.nodes.get(voter)?.declaration?.vote?.answers ?? [];
    const helps = answers.some((one) => isSameLife(one, self) && helpsToLearn(one, query));
    return voter !== config.member && !helps;
  });
}

/** How a voter that has crashed gets a majority that remembers, or one in which nobody does. */
const waysOut =
  'Start the missing voters, or processes with their names in their place, or restart all voters that run, at the same time';

/** Members ignore one whose clock is years ahead. */
const clockHint = 'that its wall clock is right';

function clockTopicOf(member: string): string {
  return `clock of ${member}`;
}

function topicOf(member: string): string {
  return `member ${member}`;
}
