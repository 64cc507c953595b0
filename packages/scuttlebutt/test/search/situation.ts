// A world that is small enough to explore completely: two candidates and three voters. One voter is
// contested. The two others always support one candidate each, with the best bound there is: two
// leaders need two majorities, which share a voter, so a vote of the others that is always there
// allows every history in which the contested voter is the shared one, and more.
import type { ElectionContext, Peer, Roster } from '../../src/protocol/election/context.ts';
import type { Declaration, Support } from '../../src/protocol/election/declaration.ts';
import { type ElectionRules, electionRules } from '../../src/protocol/election/rules.ts';
import { type ElectionState, newElection } from '../../src/protocol/election/state.ts';

/** The worlds to explore. */
export interface Question {
  readonly rules?: Partial<ElectionRules>;
  /** How far each clock runs in a tick: 3 is slow, 5 is fast, so r is a quarter. */
  readonly rates: Readonly<Record<Name, 3 | 4 | 5>>;
  readonly ticks: number;
  /** How often the voter changes its mind about whether a candidate lives. */
  readonly suspicions: number;
  readonly resignations: number;
  readonly restarts: number;
}

export type Name = 'a' | 'b' | 'v';
export const names: readonly Name[] = ['a', 'b', 'v'];

/** P: a fast voter is free after three ticks, in which a slow leader's belief ends. */
const thresholdMs = 15;
const driftRate = 1 / 4;
const voters = ['v', 'loyal-a', 'loyal-b'];

/** The knowledge of a member about another one. */
interface Seen {
  readonly generation: number;
  readonly sequence: number;
  readonly declaration: Declaration;
  readonly clock: number;
  readonly clockAt: number;
  readonly isAlive: boolean;
}

/** A message on its way: what its sender declared when it was sent. */
export interface Flying extends Pick<Seen, 'generation' | 'sequence' | 'declaration' | 'clock'> {}

/** A member. */
export interface Member {
  readonly startedAt: number;
  readonly election: ElectionState;
  readonly seen: Partial<Record<Name, Seen>>;
}

/** One state of the world. */
export interface Situation {
  readonly tick: number;
  readonly members: Readonly<Record<Name, Member>>;
  readonly flying: Readonly<Record<string, Flying>>;
  readonly suspicions: number;
  readonly resignations: number;
  readonly restarts: number;
  readonly lastToken: bigint;
  readonly isTokenWrong: boolean;
}

function rulesOf({ rules }: Question): ElectionRules {
  // The voters' memory and the giving up of favorites have their own tests. Here they add states.
  return { ...electionRules, startsWithMemory: true, repicks: () => false, ...rules };
}

/** Returns a member that starts, or starts again: then a voter has learnt the greatest token. */
export function newlyStarted(
  question: Question,
  name: Name,
  tick: number,
  before?: Member,
): Member {
  const rules = rulesOf(question);
  const generation = (before?.election.generation ?? 0) + 1;
  const fresh = newElection(configOf(name), generation, {
    muteMs: before === undefined ? 0 : rules.muteMs(thresholdMs),
    startsWithMemory: rules.startsWithMemory,
  });
  const voterStates = fresh.voterStates.map((one) => ({
    ...one,
    accepted: before?.election.voterStates[0]?.accepted ?? 0n,
  }));
  return { startedAt: tick, election: { ...fresh, voterStates, isAdmitted: true }, seen: {} };
}

function configOf(name: Name): ElectionContext['config'] {
  const isCandidate = name !== 'v';
  return { member: name, voters, partitions: 1, isCandidate, thresholdMs, driftRate };
}

export function clockOf(question: Question, { tick, members }: Situation, name: Name): number {
  return (tick - members[name].startedAt) * question.rates[name];
}

/** Whether a member believes that it leads. */
export function leads(question: Question, situation: Situation, name: Name): boolean {
  const term = situation.members[name].election.candidateStates[0]?.term;
  return term !== undefined && clockOf(question, situation, name) < term.until;
}

/** Returns the context in which a member acts. */
export function contextOf(question: Question, situation: Situation, name: Name): ElectionContext {
  const member = situation.members[name];
  const clock = clockOf(question, situation, name);
  const rules = rulesOf(question);
  return {
    rules,
    config: configOf(name),
    state: { ...member.election },
    roster: rosterOf(rules, member, name, clock),
    clock,
    wallMicros: 0,
    outputs: [],
    hasChanged: false,
  };
}

function rosterOf(rules: ElectionRules, member: Member, name: Name, clock: number): Roster {
  const peerOf = (other: Name): Peer | undefined => {
    const seen = member.seen[other];
    if (seen === undefined) return undefined;
    const { generation, isAlive, declaration } = seen;
    const bound = seen.clock + rules.slowed(clock - seen.clockAt, driftRate);
    return { member: other, generation, isAlive, clock: bound, declaration };
  };
  return {
    get: (other) => {
      if (names.includes(other as Name)) return peerOf(other as Name);
      return other === `loyal-${name}` ? loyal(member, name, clock) : undefined;
    },
    *candidates() {
      for (const other of names) {
        const peer = other === 'v' ? undefined : peerOf(other);
        if (peer?.declaration?.candidacy) yield peer;
      }
    },
  };
}

/** The vote that a candidate always has. */
function loyal({ election }: Member, name: Name, clock: number): Peer {
  const { generation, claim } = election;
  const support: Support = { member: name, generation, bound: clock, token: claim, above: 0n };
  const vote = {
    supports: [support],
    known: 0n,
    ask: 0,
    answers: [],
    witnesses: [],
    attests: [],
  };
  const declaration = { vote, candidacy: undefined };
  return { member: `loyal-${name}`, generation: 0, isAlive: true, clock: 0, declaration };
}
