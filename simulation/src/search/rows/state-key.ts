// Two states are equal if no future event can distinguish them. Keys therefore contain the ids of
// attempts and of requests by order of occurrence, and leave out what is only counted or reported.
import { createHash } from 'node:crypto';
import type { Member, Message, SystemState } from './system-state.ts';

/** Returns a key that is equal for equal states: the hash of everything that may matter later. */
export function keyOf({ members, store, messages, left, greatest, wrong }: SystemState): string {
  const waited = messages.filter((message) => isWaited(message, members));
  const text = JSON.stringify(
    [[...store.rows], store.history, waited.map(messageKey), left, greatest, wrong],
    plain,
  );
  const known = members.map(memberKey).join('|');
  const names = new Map<string, number>();
  const canonical = `${text}|${known}`.replace(idPattern, (id) => {
    const name = names.get(id) ?? names.size;
    names.set(id, name);
    return `#${name}`;
  });
  return createHash('sha1').update(canonical).digest('base64');
}

/** Ids of attempts, and of requests: of `b1`, both may be `b1.12`. */
const idPattern = /[ab]1?\.\d+/g;

/** Whether a message still matters: a request may arrive, and an answer to a flight too. */
function isWaited(
  { from, incarnation, request, answer }: Message,
  members: SystemState['members'],
) {
  const { state } = members[from];
  return (
    answer === undefined ||
    (state.flight?.id === request.id && state.config.incarnation === incarnation)
  );
}

function messageKey({ from, request, answer }: Message): unknown {
  const { changes, since, isWhole } = request;
  return [from, changes, since, isWhole, answer];
}

const memberKeys = new WeakMap<Member, string>();

/** A member is the same object until it takes an input, or time passes. */
function memberKey(member: Member): string {
  const known = memberKeys.get(member);
  if (known !== undefined) return known;
  const key = newMemberKey(member);
  memberKeys.set(member, key);
  return key;
}

function newMemberKey({ state, terms, until, draining, now, wakeAt }: Member): string {
  // Everything counts but what never changes, what follows from the rest, and what only numbers or
  // reports: so that no later field is forgotten.
  const { config, rules, now: _now, wallMicros, outputs, wakeAt: _wakeAt, ...counted } = state;
  const { due, balance, sessionOf, exchanges, attempts, begun, troubles, listing, ...known } =
    counted;
  const { flight, sessions, ...rest } = known;
  return JSON.stringify(
    [
      rest,
      flight && [flight.sentAt, flight.changes, flight.renews, flight.about.map((p) => p?.index)],
      [...sessions.values()].map((session) => ({ ...session, kind: '' })),
      [terms, until, draining, now, wakeAt],
    ],
    plain,
  );
}

/** Texts of what JSON leaves out. A reference to a session is its id. */
function plain(key: string, value: unknown): unknown {
  if (key === 'presence' || key === 'leader' || key === 'basis') return undefined;
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  if (isSession(value)) return value.id;
  return value;
}

function isSession(value: unknown): value is { readonly kind: 'session'; readonly id: string } {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'session';
}
