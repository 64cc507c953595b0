import type { Move } from '../explore.ts';
import {
  type Budget,
  type Index,
  judged,
  type Message,
  newcomer,
  type SearchParameters,
  type SystemState,
  stepped,
  withMember,
} from './system-state.ts';

/** Returns all possible next events. A lost message needs no event: it never arrives. */
export function movesFrom(
  parameters: SearchParameters,
  system: SystemState,
): readonly Move<SystemState>[] {
  const { left } = system;
  return [
    ...([0, 1] as const).flatMap((index) => movesOf(parameters, system, index)),
    ...system.messages.flatMap((message) => movesOfMessage(system, message)),
    ...(left.ticks > 0 ? [{ what: 'time passes', to: later(parameters, system) }] : []),
    ...(left.removals > 0 ? removals(system) : []),
    ...(left.losses > 0 ? [{ what: 'the store loses its history', to: restored(system) }] : []),
  ];
}

function spent(system: SystemState, event: keyof Budget): SystemState {
  const { left } = system;
  return { ...system, left: { ...left, [event]: left[event] - 1 } };
}

/** Advances real time by one tick, and each clock by its rate. */
function later({ rates }: SearchParameters, system: SystemState): SystemState {
  const [a, b] = system.members;
  return spent(
    {
      ...system,
      members: [
        { ...a, now: a.now + rates[0] },
        { ...b, now: b.now + rates[1] },
      ],
    },
    'ticks',
  );
}

function movesOf(
  parameters: SearchParameters,
  system: SystemState,
  index: Index,
): readonly Move<SystemState>[] {
  const { left } = system;
  const { state, now, wakeAt, draining, terms } = system.members[index];
  const { flight, config } = state;
  const who = config.incarnation;
  const moves: Move<SystemState>[] = [];
  const feed = (what: string, input: Parameters<typeof stepped>[2], from = system): void => {
    moves.push({ what: `${who} ${what}`, to: stepped(from, index, input) });
  };
  if (now >= wakeAt) feed('wakes', { kind: 'wake' });
  if (flight !== undefined && now > flight.sentAt)
    feed('has no answer', { kind: 'failed', id: flight.id, code: 'unreachable', message: '' });
  for (const partition of draining) {
    const token = terms.get(partition) ?? 0n;
    feed(`has drained ${partition}`, { kind: 'drained', partition, token });
  }
  if (left.resignations > 0)
    for (const partition of terms.keys())
      feed(
        `resigns ${partition}`,
        { kind: 'resign', partition, abstainMs: 0 },
        spent(system, 'resignations'),
      );
  if (left.restarts > 0)
    moves.push({ what: `${who} restarts`, to: restarted(parameters, system, index) });
  return moves;
}

/** Replaces the process by a newcomer at once. The requests of the old one may still arrive. */
function restarted(parameters: SearchParameters, system: SystemState, index: Index): SystemState {
  const { now } = system.members[index];
  const member = newcomer(parameters, index, 1, now);
  return spent(withMember(system, index, member), 'restarts');
}

function movesOfMessage(system: SystemState, message: Message): readonly Move<SystemState>[] {
  const { request, answer, incarnation, from } = message;
  if (answer === undefined)
    return system.left.arrivals > 0
      ? [{ what: `request ${request.id} of ${incarnation} arrives`, to: arrived(system, message) }]
      : [];
  const messages = system.messages.filter((one) => one !== message);
  const input = { kind: 'exchanged', id: request.id, answer } as const;
  const to = stepped({ ...system, messages }, from, input);
  return [{ what: `answer ${request.id} to ${incarnation} arrives`, to }];
}

/** A request arrives at the store. An answer that no member waits for is left out. */
function arrived(system: SystemState, message: Message): SystemState {
  const store = system.store.copy();
  const { request } = message;
  const answer = store.exchange(request);
  const messages = system.messages.map((one) => (one === message ? { ...message, answer } : one));
  return judged(spent({ ...system, store, messages }, 'arrivals'));
}

/** A stranger removes a row. */
function removals(system: SystemState): readonly Move<SystemState>[] {
  const names = [...system.store.rows.keys()].filter((name) => name !== 'pin');
  return names.map((name) => {
    const store = system.store.copy();
    store.put(name, null);
    return { what: `${name} is removed`, to: spent({ ...system, store }, 'removals') };
  });
}

function restored(system: SystemState): SystemState {
  const store = system.store.copy();
  store.restore(system.past);
  return spent({ ...system, store }, 'losses');
}
