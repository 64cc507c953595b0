// All histories of attempts to end an epoch (N13): one voter decides, and two members without a
// vote propose different epochs. Every sent message may arrive at any time, repeatedly, or never.
// Time does not pass: only the order of arrivals matters.

import {
  type Epoch,
  type Item,
  type MemberState,
  type NerioInput,
  type NerioRules,
  step,
} from '@leadership/nerio/internal/protocol';
import {
  momentAt,
  selfNamed,
  settled,
} from '../../../../packages/nerio/test/support/test-members.ts';
import { explore, type Move } from '../../../src/search/explore.ts';

/** The parameters of a search. */
export interface Attempts {
  readonly rules: NerioRules;
  /** The number of proposals and of restarts of each proposer. */
  readonly wishes: readonly [number, number];
  readonly restarts: readonly [number, number];
}

/** The result of a search. */
export interface Succession {
  readonly situations: number;
  /** The shortest history after which two different epochs follow; `undefined` if there is none. */
  readonly torn: readonly string[] | undefined;
}

interface Said {
  readonly to: string;
  readonly from: { readonly member: string; readonly incarnation: string };
  readonly item: Item;
}

interface Situation {
  readonly people: ReadonlyMap<string, MemberState>;
  readonly said: ReadonlyMap<string, Said>;
  readonly wishes: ReadonlyMap<string, number>;
  readonly restarts: ReadonlyMap<string, number>;
  readonly decided: readonly string[];
}

const proposers = ['x', 'y'];
const names = ['a', ...proposers];
const epoch: Epoch = {
  number: 0,
  members: names.map((member) => (member === 'a' ? { member } : { member, votes: false })),
  quorums: { kind: 'majority' },
  tokens: [],
};

/** Explores all histories, shortest first. */
export function searchSuccession(attempts: Attempts): Succession {
  const { states, wrong } = explore<Situation>(
    {
      initialState: opening(attempts),
      movesFrom: (situation) => movesFrom(attempts, situation),
      keyOf,
      isWrong: ({ decided }) => decided.length > 1,
    },
    Number.POSITIVE_INFINITY,
  );
  return { situations: states, torn: wrong?.map(({ what }) => what) };
}

function opening({ rules, wishes, restarts }: Attempts): Situation {
  const each = (counts: readonly number[]) =>
    new Map(proposers.map((name, index) => [name, counts[index] ?? 0]));
  const people = new Map(names.map((name) => [name, aliveAs(name, 0, rules)]));
  return { people, said: new Map(), wishes: each(wishes), restarts: each(restarts), decided: [] };
}

/** A member whose only activity is to end the epoch. */
function aliveAs(name: string, life: number, rules: NerioRules): MemberState {
  return { ...settled(selfNamed(name, { life }), epoch, 0, rules), campaigning: false };
}

function movesFrom(attempts: Attempts, situation: Situation): readonly Move<Situation>[] {
  const arrivals = [...situation.said.values()].map(({ to, from, item }) => ({
    what: `${to} receives ${item.kind} from ${from.incarnation}`,
    to: stepped(attempts, situation, to, { kind: 'received', from, epoch: 0, item }),
  }));
  return [
    ...arrivals,
    ...proposers.flatMap((name) => [
      ...wishes(attempts, situation, name),
      ...restarts(attempts, situation, name),
    ]),
  ];
}

/** A member makes a proposal that no member has made before. */
function wishes(
  attempts: Attempts,
  situation: Situation,
  name: string,
): readonly Move<Situation>[] {
  const left = situation.wishes.get(name) ?? 0;
  if (left === 0) return [];
  const members = [...epoch.members, { member: `${name}-${left}` }];
  const input: NerioInput = { kind: 'reconfigure', next: { members, quorums: epoch.quorums } };
  const wanted = { ...situation, wishes: new Map([...situation.wishes, [name, left - 1]]) };
  return [{ what: `${name} wants ${name}-${left}`, to: stepped(attempts, wanted, name, input) }];
}

/** A member restarts and forgets its proposals. */
function restarts(
  { rules }: Attempts,
  situation: Situation,
  name: string,
): readonly Move<Situation>[] {
  const left = situation.restarts.get(name) ?? 0;
  if (left === 0) return [];
  const life = (situation.people.get(name)?.self.life ?? 0) + 1;
  const people = new Map([...situation.people, [name, aliveAs(name, life, rules)]]);
  const to = { ...situation, people, restarts: new Map([...situation.restarts, [name, left - 1]]) };
  return [{ what: `${name} starts anew`, to }];
}

const kinds: readonly Item['kind'][] = ['wedge', 'wedged', 'accept', 'accepted', 'outranked'];

function stepped(
  { rules }: Attempts,
  situation: Situation,
  name: string,
  input: NerioInput,
): Situation {
  const before = situation.people.get(name);
  // A member of the next epoch needs no further message.
  if (before === undefined || before.electorate.number > 0) return situation;
  const { state, outputs } = step(rules, before, input, momentAt(0));
  const said = new Map(situation.said);
  let { decided } = situation;
  for (const output of outputs) {
    if (output.kind === 'epoch') decided = [...new Set([...decided, labelOf(output.epoch)])];
    if (output.kind !== 'send' || !kinds.includes(output.item.kind)) continue;
    const { member, incarnation } = before.self;
    for (const to of names.filter((_, index) => (output.to & (1 << index)) !== 0)) {
      said.set(`${to}<${incarnation} ${inShort(output.item)}`, {
        to,
        from: { member, incarnation },
        item: output.item,
      });
    }
  }
  return { ...situation, people: new Map([...situation.people, [name, state]]), said, decided };
}

function labelOf({ members }: Epoch): string {
  return members.at(-1)?.member ?? '';
}

/** A text of ballots and next epochs, the only differences between these messages and members. */
function inShort(value: unknown): string {
  return JSON.stringify(value, (name, part: unknown) =>
    name === 'next' || name === 'accepting' || name === 'proposed'
      ? labelOf((part ?? epoch) as Epoch)
      : name === 'tokens'
        ? undefined
        : part,
  );
}

function keyOf({ people, said, wishes: wished, restarts: restarted, decided }: Situation): string {
  const states = [...people.values()].map(
    ({ self, electorate, wedge, proposal, acceptances, knownRound }) =>
      inShort([self.incarnation, electorate.number, wedge, proposal, acceptances, knownRound]),
  );
  return [
    ...states,
    [...said.keys()].sort().join(';'),
    [...wished.values()],
    [...restarted.values()],
    decided,
  ].join('|');
}
