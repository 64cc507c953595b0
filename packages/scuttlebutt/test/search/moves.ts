// Everything that can happen next in the small world.
import type { ElectionContext } from '../../src/protocol/election/context.ts';
import { expire, noteDrained, resign } from '../../src/protocol/election/leading.ts';
import { review } from '../../src/protocol/election/review.ts';
import {
  clockOf,
  contextOf,
  type Flying,
  leads,
  type Member,
  type Name,
  names,
  newlyStarted,
  type Question,
  type Situation,
} from './situation.ts';

interface Move {
  readonly what: string;
  readonly to: Situation;
}

const candidates = ['a', 'b'] as const;

/** Both candidates and the voter know each other, and the first candidate leads. */
export function opening(question: Question): Situation {
  const { suspicions, resignations, restarts } = question;
  let situation: Situation = {
    tick: 0,
    members: {
      a: newlyStarted(question, 'a', 0),
      b: newlyStarted(question, 'b', 0),
      v: newlyStarted(question, 'v', 0),
    },
    flying: {},
    suspicions,
    resignations,
    restarts,
    lastToken: 0n,
    isTokenWrong: false,
  };
  for (const name of names) situation = act(question, situation, name, () => undefined, true);
  for (const [from, to] of [
    ['a', 'v'],
    ['v', 'a'],
    ['b', 'v'],
    ['a', 'v'],
    ['v', 'a'],
  ] as const)
    situation = received(question, situation, from, to, messageOf(question, situation, from));
  if (!leads(question, situation, 'a')) throw new Error('The first candidate must lead');
  return situation;
}

/** Lets a member do something, and then everything that is due. */
function act(
  question: Question,
  situation: Situation,
  name: Name,
  what: (context: ElectionContext) => void,
  isDue = false,
): Situation {
  const context = contextOf(question, situation, name);
  expire(context);
  what(context);
  review(context, isDue);
  let { lastToken, isTokenWrong } = situation;
  const termBefore = situation.members[name].election.candidateStates[0]?.term?.token;
  for (const output of context.outputs) {
    if (output.kind !== 'granted' || output.token === termBefore) continue;
    isTokenWrong ||= output.token <= lastToken;
    lastToken = output.token > lastToken ? output.token : lastToken;
  }
  const member: Member = { ...situation.members[name], election: context.state };
  return { ...withMember(situation, name, member), lastToken, isTokenWrong };
}

function withMember(situation: Situation, name: Name, member: Member): Situation {
  return { ...situation, members: { ...situation.members, [name]: member } };
}

export function movesFrom(question: Question, situation: Situation): readonly Move[] {
  const moves: Move[] = [];
  if (situation.tick < question.ticks) moves.push({ what: 'tick', to: tick(question, situation) });
  for (const name of candidates) {
    moves.push(...reads(question, situation, name), ...votes(question, situation, name));
    if (situation.suspicions > 0) moves.push(...suspicion(question, situation, name));
    if (situation.resignations > 0 && leads(question, situation, name))
      moves.push({ what: `${name} resigns`, to: resigned(question, situation, name) });
  }
  if (situation.restarts > 0)
    for (const name of names)
      moves.push({ what: `${name} restarts`, to: restarted(question, situation, name) });
  return moves;
}

/**
 * Time passes for all. The voter's bounds are as great as they can be: as if it had just received
 * the clock of either candidate.
 */
function tick(question: Question, situation: Situation): Situation {
  const later = { ...situation, tick: situation.tick + 1 };
  const informed = candidates.reduce((world, name) => {
    const { v } = world.members;
    const seen = v.seen[name];
    if (seen?.generation !== world.members[name].election.generation) return world;
    const clocks = {
      clock: clockOf(question, world, name),
      clockAt: clockOf(question, world, 'v'),
    };
    return withMember(world, 'v', { ...v, seen: { ...v.seen, [name]: { ...seen, ...clocks } } });
  }, later);
  return names.reduce(
    (world, name) => act(question, world, name, () => undefined, name === 'v'),
    informed,
  );
}

/**
 * The voter reads the present declaration of a candidate. A late declaration is as harmless as a
 * lost one: its clock is lower, and horizons only grow.
 */
function reads(question: Question, situation: Situation, from: Name): readonly Move[] {
  const message = messageOf(question, situation, from);
  const known = situation.members.v.seen[from];
  if (known?.sequence === message.sequence && known.generation === message.generation) return [];
  const to = received(question, situation, from, 'v', message);
  return [{ what: `v receives from ${from}`, to }];
}

/** A vote is sent, replacing the one on its way, or it arrives. It may never arrive. */
function votes(question: Question, situation: Situation, to: Name): readonly Move[] {
  const way = `v${to}`;
  const now = messageOf(question, situation, 'v');
  const flying = situation.flying[way];
  const moves: Move[] = [];
  const isFor = now.declaration.vote?.supports[0]?.member === to;
  if (isFor && flying?.sequence !== now.sequence)
    moves.push({
      what: `v sends to ${to}`,
      to: { ...situation, flying: { ...situation.flying, [way]: now } },
    });
  if (flying !== undefined)
    moves.push({
      what: `${to} receives from v`,
      to: received(question, situation, 'v', to, flying),
    });
  return moves;
}

function messageOf(question: Question, situation: Situation, from: Name): Flying {
  const { generation, sequence, declaration } = situation.members[from].election;
  return { generation, sequence, declaration, clock: clockOf(question, situation, from) };
}

function received(
  question: Question,
  situation: Situation,
  from: Name,
  to: Name,
  message: Flying,
): Situation {
  const { [`${from}${to}`]: _, ...flying } = situation.flying;
  const member = situation.members[to];
  const known = member.seen[from];
  const landed = { ...situation, flying };
  if (known && message.generation < known.generation) return landed;
  const clock = clockOf(question, situation, to);
  const isSame = known?.generation === message.generation;
  const estimate = isSame
    ? known.clock + contextOf(question, situation, to).rules.slowed(clock - known.clockAt, 1 / 4)
    : Number.NEGATIVE_INFINITY;
  const newest = isSame && known.sequence > message.sequence ? known : message;
  const seen = {
    generation: message.generation,
    sequence: newest.sequence,
    declaration: newest.declaration,
    clock: Math.max(estimate, message.clock),
    clockAt: clock,
    isAlive: known?.isAlive ?? true,
  };
  const informed = withMember(landed, to, { ...member, seen: { ...member.seen, [from]: seen } });
  return act(question, informed, to, () => undefined);
}

function suspicion(question: Question, situation: Situation, name: Name): readonly Move[] {
  const { v } = situation.members;
  const seen = v.seen[name];
  if (seen === undefined) return [];
  const changed = { ...v, seen: { ...v.seen, [name]: { ...seen, isAlive: !seen.isAlive } } };
  const less = { ...withMember(situation, 'v', changed), suspicions: situation.suspicions - 1 };
  const what = `v ${seen.isAlive ? 'suspects' : 'trusts'} ${name}`;
  return [{ what, to: act(question, less, 'v', () => undefined) }];
}

function resigned(question: Question, situation: Situation, name: Name): Situation {
  const less = { ...situation, resignations: situation.resignations - 1 };
  return act(question, less, name, (context) => {
    resign(context, 0, 0);
    noteDrained(context, 0);
  });
}

function restarted(question: Question, situation: Situation, name: Name): Situation {
  const fresh = newlyStarted(question, name, situation.tick, situation.members[name]);
  const less = { ...withMember(situation, name, fresh), restarts: situation.restarts - 1 };
  return act(question, less, name, () => undefined, true);
}
