// Lists the possible next events in an exhaustive search of the ledger lease.
import type { Instant } from '@leadership/core/adapter';
import type { Move } from '../explore.ts';
import {
  atEnd,
  type Exploration,
  type Index,
  introduced,
  type Member,
  newcomer,
  type SystemState,
  stepped,
  withMember,
} from './system-state.ts';

/** Returns all possible next events. A lost write needs no event: it never lands. */
export function movesFrom(
  parameters: Exploration,
  system: SystemState,
): readonly Move<SystemState>[] {
  return [
    { what: 'time passes', to: later(parameters, system) },
    ...landings(system),
    ...requests(parameters, system),
    ...([0, 1] as const).flatMap((index) => movesOf(parameters, system, index)),
  ];
}

/** Advances real time by one unit, and each clock by its rate. */
export function later({ rates }: Exploration, system: SystemState): SystemState {
  const [a, b] = system.members;
  return {
    ...system,
    members: [
      { ...a, now: a.now + rates[0] },
      { ...b, now: b.now + rates[1] },
    ],
  };
}

/** Returns the landings of the writes in transit. */
export function landings(system: SystemState): readonly Move<SystemState>[] {
  const { flights, log, writesLeft } = system;
  if (writesLeft === 0) return [];
  return flights.map((record, index) => ({
    what: `${record.id} lands`,
    to: trimmed({
      ...system,
      log: [...log, record],
      flights: writesLeft === 1 ? [] : flights.filter((_, other) => other !== index),
      writesLeft: writesLeft - 1,
    }),
  }));
}

function requests(parameters: Exploration, system: SystemState): readonly Move<SystemState>[] {
  const { request } = system;
  if (request === undefined) return [];
  const receivedAt = system.members[request.to].now as Instant;
  const input = { kind: 'requested', request: request.leaseRequest, receivedAt } as const;
  return [
    {
      what: `${request.leaseRequest.id} is received`,
      to: stepped(
        parameters,
        { ...system, request: undefined, requestsLeft: system.requestsLeft - 1 },
        request.to,
        input,
      ),
    },
  ];
}

function movesOf(
  parameters: Exploration,
  system: SystemState,
  index: Index,
): readonly Move<SystemState>[] {
  const member = system.members[index];
  const { incarnation } = member.state.self;
  const moves: Move<SystemState>[] = [
    { what: `${incarnation} wakes`, to: stepped(parameters, system, index, { kind: 'wake' }) },
  ];
  if (!atEnd(member, system))
    moves.push({ what: `${incarnation} reads`, to: read(parameters, system, index) });
  if (member.state.leaseState.kind === 'revoking') {
    moves.push({
      what: `${incarnation} has drained`,
      to: stepped(parameters, system, index, { kind: 'drained' }),
    });
  }
  if (system.restartsLeft > 0)
    moves.push({ what: `${incarnation} restarts`, to: restarted(parameters, system, index) });
  return moves;
}

/** Delivers the next record of the log to a member. */
export function read(parameters: Exploration, system: SystemState, index: Index): SystemState {
  const member = system.members[index];
  const record = system.log[member.position];
  if (record === undefined) return system;
  const moved = withMember(system, index, { ...member, position: member.position + 1 });
  const receivedAt = member.now as Instant;
  const after = stepped(parameters, moved, index, { kind: 'record', record, receivedAt });
  const isDone =
    atEnd(after.members[index], after) && after.members[index].state.fold.kind === 'reading';
  return trimmed(isDone ? stepped(parameters, after, index, { kind: 'end' }) : after);
}

/** Replaces the process by a newcomer at once. The writes of the old process may still land. */
function restarted(parameters: Exploration, system: SystemState, index: Index): SystemState {
  const { now } = system.members[index];
  const reborn = withMember(system, index, newcomer(parameters, index, 1, now));
  return introduced(parameters, { ...reborn, restartsLeft: system.restartsLeft - 1 }, index);
}

/** Prunes the log below the record in effect (L10), once both members have read it. */
function trimmed(system: SystemState): SystemState {
  const [a, b] = system.members;
  const { log } = system;
  const greatest = Math.max(...log.map(({ height }) => height));
  const cut = Math.min(
    a.position,
    b.position,
    log.findIndex(({ height }) => height === greatest),
  );
  if (cut <= 0) return system;
  const less = (member: Member): Member => ({ ...member, position: member.position - cut });
  return { ...system, log: log.slice(cut), members: [less(a), less(b)] };
}
