import type { Instant } from '@leadership/core/adapter';
import type { Move } from '../explore.ts';
import {
  atEnd,
  type Index,
  introduced,
  type Member,
  newcomer,
  type Question,
  type Situation,
  stepped,
  withMember,
} from './situation.ts';

/** Returns all possible next events. A lost write needs no event: it never lands. */
export function movesFrom(question: Question, situation: Situation): readonly Move<Situation>[] {
  return [
    { what: 'time passes', to: later(question, situation) },
    ...landings(situation),
    ...wants(question, situation),
    ...([0, 1] as const).flatMap((index) => movesOf(question, situation, index)),
  ];
}

/** Advances real time by one unit, and each clock by its rate. */
export function later({ rates }: Question, situation: Situation): Situation {
  const [a, b] = situation.members;
  return {
    ...situation,
    members: [
      { ...a, now: a.now + rates[0] },
      { ...b, now: b.now + rates[1] },
    ],
  };
}

/** Returns the landings of the writes in transit. */
export function landings(situation: Situation): readonly Move<Situation>[] {
  const { flights, log, writesLeft } = situation;
  if (writesLeft === 0) return [];
  return flights.map((record, index) => ({
    what: `${record.id} lands`,
    to: trimmed({
      ...situation,
      log: [...log, record],
      flights: writesLeft === 1 ? [] : flights.filter((_, other) => other !== index),
      writesLeft: writesLeft - 1,
    }),
  }));
}

function wants(question: Question, situation: Situation): readonly Move<Situation>[] {
  const { want } = situation;
  if (want === undefined) return [];
  const receivedAt = situation.members[want.at].now as Instant;
  const input = { kind: 'requested', request: want.want, receivedAt } as const;
  return [
    {
      what: `${want.want.id} is received`,
      to: stepped(
        question,
        { ...situation, want: undefined, wantsLeft: situation.wantsLeft - 1 },
        want.at,
        input,
      ),
    },
  ];
}

function movesOf(
  question: Question,
  situation: Situation,
  index: Index,
): readonly Move<Situation>[] {
  const member = situation.members[index];
  const { incarnation } = member.state.self;
  const moves: Move<Situation>[] = [
    { what: `${incarnation} wakes`, to: stepped(question, situation, index, { kind: 'wake' }) },
  ];
  if (!atEnd(member, situation))
    moves.push({ what: `${incarnation} reads`, to: read(question, situation, index) });
  if (member.state.leaseState.kind === 'revoking') {
    moves.push({
      what: `${incarnation} has drained`,
      to: stepped(question, situation, index, { kind: 'drained' }),
    });
  }
  if (situation.restartsLeft > 0)
    moves.push({ what: `${incarnation} restarts`, to: restarted(question, situation, index) });
  return moves;
}

/** Delivers the next record of the log to a member. */
export function read(question: Question, situation: Situation, index: Index): Situation {
  const member = situation.members[index];
  const record = situation.log[member.position];
  if (record === undefined) return situation;
  const moved = withMember(situation, index, { ...member, position: member.position + 1 });
  const receivedAt = member.now as Instant;
  const after = stepped(question, moved, index, { kind: 'record', record, receivedAt });
  const isDone =
    atEnd(after.members[index], after) && after.members[index].state.fold.kind === 'reading';
  return trimmed(isDone ? stepped(question, after, index, { kind: 'end' }) : after);
}

/** Replaces the process by a newcomer at once. The writes of the old process may still land. */
function restarted(question: Question, situation: Situation, index: Index): Situation {
  const { now } = situation.members[index];
  const reborn = withMember(situation, index, newcomer(question, index, 1, now));
  return introduced(question, { ...reborn, restartsLeft: situation.restartsLeft - 1 }, index);
}

/** Prunes the log below the record in effect (L10), once both members have read it. */
function trimmed(situation: Situation): Situation {
  const [a, b] = situation.members;
  const { log } = situation;
  const greatest = Math.max(...log.map(({ height }) => height));
  const cut = Math.min(
    a.position,
    b.position,
    log.findIndex(({ height }) => height === greatest),
  );
  if (cut <= 0) return situation;
  const less = (member: Member): Member => ({ ...member, position: member.position - cut });
  return { ...situation, log: log.slice(cut), members: [less(a), less(b)] };
}
