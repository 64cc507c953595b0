// No single message may end elections (N13, N16). The tests send every kind of message, with every
// field at its extremes, from a stranger and from a member. They omit values that the wire format
// cannot carry, because a receiver drops them before the machine receives them.
import { expect, test } from 'vitest';
import { decodeMessages, encodeMessages } from '../../src/codec.ts';
import type { Epoch, Item } from '../../src/protocol.ts';
import { Machines } from '../support/machines.ts';
import { epochOf } from '../support/test-members.ts';

const names = ['a', 'b', 'c', 'd', 'x'];
const well = ['a', 'b', 'c', 'd'];
const group = epochOf(names);
const tokenMax = 2n ** 63n - 1n;
const wholes = [0, 1, 2 ** 32, Number.MAX_SAFE_INTEGER];
const floats = [-Number.MAX_VALUE, -1, 0, 1, 1e9, Number.MAX_VALUE, Number.POSITIVE_INFINITY];

/** The extreme values of a field, by its type and its name. */
function extremesOf(value: unknown, name: string): readonly unknown[] {
  if (typeof value === 'bigint') return [0n, 1n, tokenMax - 1n, tokenMax];
  if (typeof value === 'boolean') return [true, false];
  if (typeof value === 'number')
    return Number.isInteger(value) && !/Ms$|^at$/.test(name) ? [-1, ...wholes] : floats;
  if (name === 'standing') return ['claiming', 'leading', 'leaving'];
  if (name === 'why') return ['held', 'muted', 'too-long', 'released', 'skew', 'ending'];
  if (name === 'member') return names;
  return [];
}

/**
 * The value with one field, at any depth, at each of its extremes; and with all fields at their
 * greatest.
 */
function variants<T>(value: T, name = ''): readonly T[] {
  const own = extremesOf(value, name) as readonly T[];
  if (typeof value !== 'object' || value === null) return own;
  return Object.entries(value).flatMap(([field, inner]) =>
    variants(inner, Array.isArray(value) ? name : field).map((one) => {
      const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
      copy[field] = one;
      return copy as T;
    }),
  );
}

const start = { incarnation: 'a0', at: 1, count: 0 };
const ballot = { round: 1, member: 'x', incarnation: 'x0' };
const next: Epoch = { ...group, number: 1, tokens: [1n] };
const holder = { member: 'x', incarnation: 'x0' };

const messages: readonly Item[] = [
  {
    kind: 'grant-request',
    partition: 0,
    start: { ...start, incarnation: 'x0' },
    leaseMs: 1000,
    token: 1n,
    standing: 'claiming',
    successor: -1,
  },
  {
    kind: 'ok',
    partition: 0,
    start,
    at: { at: 1, count: 0 },
    life: 1,
    waitedMs: 0,
    rival: 1n,
    isEnding: false,
  },
  { kind: 'refused', partition: 0, start, why: 'held', holder, isLeaving: false, forMs: 1 },
  { kind: 'release', partition: 0, start: { ...start, incarnation: 'x0' } },
  { kind: 'lease-request', partition: 0, leads: 0 },
  { kind: 'ping', beat: 1 },
  { kind: 'pong', beat: 1, isUnsolicited: false, stands: [4] },
  { kind: 'learn', beat: 1 },
  { kind: 'learned', beat: 1, tokens: [1n], remembers: true, epochMax: 0 },
  { kind: 'verify', partition: 0, id: 1 },
  { kind: 'remainder', partition: 0, id: 1, remainderMs: 1 },
  { kind: 'probe', ballot },
  { kind: 'bindable', ballot },
  { kind: 'wedge', ballot, next },
  { kind: 'wedged', ballot, tokens: [1n], accepted: { ballot, next } },
  { kind: 'accept', ballot, next },
  { kind: 'accepted', ballot, next },
  { kind: 'outranked', by: ballot },
  { kind: 'running', epoch: next },
];

/** Whether a member could receive that message: others do not fit into a frame. */
function travels(epoch: number, item: Item, from: string): boolean {
  try {
    const ends = { from: `${from}0`, to: 'a0' };
    const receiver = { partitions: 1, epoch: 0, names: new Set(names) };
    return encodeMessages([{ epoch, item }], ends).every(
      (piece) => decodeMessages(piece, ends, receiver) !== undefined,
    );
  } catch {
    return false;
  }
}

const kinds = messages.map((item) => [item.kind, item] as const);

test.each(['stranger', 'x'])(
  'after every message at its extremes from %s the group elects a leader, and again after a crash',
  (from) => {
    for (const [kind, item] of kinds) {
      const machines = new Machines(group, well);
      const all = [item, ...variants(item)].filter((each) => travels(0, each, from));
      const sayAll = (): void => {
        for (const epoch of [0, 1, Number.MAX_SAFE_INTEGER])
          for (const one of all) if (travels(epoch, one, from)) machines.say(from, epoch, one);
      };
      // Before any member leads; while one does; and while the leader restarts without memory and
      // learns.
      sayAll();
      machines.pass(1500);
      sayAll();
      machines.restart(machines.leader()?.member ?? 'a');
      for (const ms of [10, 1000, 1090, 20]) {
        machines.pass(ms);
        sayAll();
      }
      machines.pass(25_000);
      const first = machines.leader();
      expect(first, `${kind} from ${from}: no leader`).toBeDefined();
      machines.restart(first?.member ?? '');
      machines.pass(15_000);
      const second = machines.leader();
      expect(second?.token, `${kind} from ${from}: no leader after a crash`).toBeGreaterThan(
        first?.token ?? 0n,
      );
      expect(second?.token, `${kind} from ${from}: the tokens are exhausted`).toBeLessThan(
        tokenMax / 2n,
      );
      expect(Math.max(...machines.epochs()), `${kind} from ${from}`).toBeLessThan(10);
    }
  },
);

/** The answers of a member that gives the greatest value for everything. */
function greatest(item: Item): readonly Item[] {
  const { kind } = item;
  const promised = { round: Number.MAX_SAFE_INTEGER, member: 'x', incarnation: 'x0' };
  if (kind === 'learn')
    return [{ kind: 'learned', beat: item.beat, tokens: [tokenMax], remembers: true, epochMax: 0 }];
  if (kind === 'probe') return [{ kind: 'outranked', by: promised }];
  if (kind === 'wedge')
    return [
      {
        kind: 'wedged',
        ballot: item.ballot,
        tokens: [tokenMax],
        accepted: { ballot: promised, next },
      },
    ];
  if (kind !== 'grant-request') return [];
  const { partition, start: asked } = item;
  return [
    {
      kind: 'ok',
      partition,
      start: asked,
      at: { at: 1, count: 0 },
      life: 1,
      waitedMs: 0,
      rival: tokenMax,
      isEnding: false,
    },
  ];
}

test('a voter that answers with the greatest values ends no election, and does not exhaust the tokens (N16)', () => {
  const machines = new Machines(group, well);
  machines.answers = greatest;
  machines.pass(5000);
  const first = machines.leader();
  machines.restart(first?.member ?? '');
  machines.pass(20_000);
  expect(machines.leader()?.token).toBeGreaterThan(first?.token ?? 0n);
  expect(machines.leader()?.token).toBeLessThan(tokenMax / 2n);
  expect(machines.implausible).toBeGreaterThan(0);
});

test('an epoch that only one member reports as running is not entered, and one that a quorum has accepted is (N13)', () => {
  const machines = new Machines(group, well);
  machines.say('x', 9, { kind: 'running', epoch: { ...next, number: 9 } });
  machines.pass(1000);
  expect(machines.epochs()).toEqual([0, 0, 0, 0]);
  for (const voter of ['a', 'b']) machines.say(voter, 0, { kind: 'accepted', ballot, next });
  machines.pass(10);
  expect(machines.epochs()).toEqual([0, 0, 0, 0]);
  machines.say('x', 0, { kind: 'accepted', ballot, next });
  machines.pass(10);
  expect(machines.epochs()).toEqual([1, 1, 1, 1]);
});
