// The small world of the exhaustive search: two members, one partition, one log, and everything that is on its way. Clocks
// are whole numbers. Nothing happens by chance: each step of the search picks one of the things that could happen next.
import { type Contender, type LedgerInput, type LedgerRules, newPartition, type PartitionState, step } from '@leadership/core/engine';
import type { LedgerRecord, Want } from '@leadership/core/ledger';
import type { Local } from '../clock.ts';

/** Everything there is at one moment. Never changed: what happens makes another. */
export interface Situation {
  readonly members: readonly [Member, Member];
  /** From where both members and a newcomer may still read. */
  readonly log: readonly LedgerRecord[];
  /** Writes that may land, now, later or never. */
  readonly flights: readonly LedgerRecord[];
  /** A want that may arrive, and at whom. */
  readonly want: { readonly at: Index; readonly want: Want } | undefined;
  /** How many more writes may ever land. */
  readonly writesLeft: number;
  /** How many more wants may ever arrive. */
  readonly wantsLeft: number;
  readonly restartsLeft: number;
}

/** Which of the two. */
export type Index = 0 | 1;

/** One member, at its own time. */
export interface Member {
  readonly state: PartitionState;
  readonly now: number;
  /** How much of the log it has read. */
  readonly position: number;
}

/** What one search is about. */
export interface Question {
  readonly rules: LedgerRules;
  /** By how much each member's clock goes on while real time goes on by `fullRate`. */
  readonly rates: readonly [number, number];
  /** T of each, by clocks that go on by `fullRate` in a unit of time. */
  readonly thresholdsMs: readonly [number, number];
  /** Whether nobody leads at first, or the stand-in does, and both know. */
  readonly begins: 'unled' | 'led';
  readonly writes: number;
  readonly wants: number;
  readonly restarts: number;
}

/** A clock that is right goes on by 4 in a unit of real time, the others by 3 or by 5. */
const driftRate = 0.25;

/** The first member has read an empty log to its end, the second too, and nobody leads. */
export function unled(question: Question): Situation {
  const members = [newcomer(question, 0, 0, 0), newcomer(question, 1, 0, 0)] as const;
  const empty: Situation = {
    members,
    log: [],
    flights: [],
    want: undefined,
    writesLeft: question.writes,
    wantsLeft: question.wants,
    restartsLeft: question.restarts,
  };
  return ([0, 1] as const).reduce((situation, index) => introduced(question, situation, index), empty);
}

/** A member that has just started, and knows nothing. */
export function newcomer({ thresholdsMs }: Question, index: Index, life: number, now: number): Member {
  const thresholdMs = thresholdsMs[index];
  const member = index === 0 ? 'a' : 'b';
  const told = { group: 'g', member, incarnation: `${member}${life === 0 ? '' : life}`, partitions: 1, thresholdMs };
  const thresholdMsMax = Math.max(...thresholdsMs);
  const self: Contender = { ...told, thresholdMsMax, driftRate, shape: 'log', asks: true, jitter: 0 };
  return { state: newPartition(self, 0, now as Local), now, position: 0 };
}

/** The member is told what does not change: the pin agrees, and the ranks. An empty log is read at once. */
export function introduced(question: Question, situation: Situation, index: Index): Situation {
  const incarnations = situation.members.map(({ state }) => state.self.incarnation);
  const inputs: readonly LedgerInput[] = [
    { kind: 'pin', pin: 'agrees' },
    { kind: 'ranks', ranks: incarnations },
  ];
  const known = inputs.reduce((before, input) => stepped(question, before, index, input), situation);
  return atEnd(known.members[index], known) ? stepped(question, known, index, { kind: 'end' }) : known;
}

/** Whether the member has read all there is. */
export function atEnd({ position }: Member, { log }: Situation): boolean {
  return position === log.length;
}

/** One input for one member, and what its step wants done. */
export function stepped({ rules }: Question, situation: Situation, index: Index, input: LedgerInput): Situation {
  const member = situation.members[index];
  const { state, outputs } = step(rules, member.state, input, { now: member.now as Local, wallMicros: 0 });
  let after = withMember(situation, index, { ...member, state });
  for (const output of outputs) {
    if (output.kind === 'write') after = sent(after, output.record);
    if (output.kind === 'ask') after = asked(after, index === 0 ? 1 : 0, output.want);
  }
  return after;
}

/** The same situation with one member changed. */
export function withMember(situation: Situation, index: Index, member: Member): Situation {
  const [a, b] = situation.members;
  return { ...situation, members: index === 0 ? [member, b] : [a, member] };
}

/** Whether the member would say now that it leads (H5). */
export function leads({ state: { tenure }, now }: Member): boolean {
  return (tenure.kind === 'leading' || tenure.kind === 'revoking') && now < tenure.until;
}

/** How many writes are on their way at most: of more, the oldest is lost. */
const flightsMax = 2;

function asked(situation: Situation, at: Index, want: Want): Situation {
  return situation.wantsLeft === 0 ? situation : { ...situation, want: { at, want } };
}

function sent(situation: Situation, record: LedgerRecord): Situation {
  if (situation.writesLeft === 0) return situation;
  return { ...situation, flights: [...situation.flights, record].slice(-flightsMax) };
}
