import {
  driftRules,
  type Epoch,
  type Item,
  type MemberState,
  type NerioInput,
  type NerioRules,
  step,
} from '@leadership/nerio/internal/protocol';
import { describe, expect, test } from 'vitest';
import {
  momentAt,
  selfNamed,
  settled,
} from '../../../../packages/nerio/test/support/test-members.ts';
import { type Attempts, searchSuccession } from './succession.ts';

/**
 * Skips the probe whether a quorum can be wedged. The probe keeps a group from getting stuck;
 * safety does not depend on it.
 */
const eager: NerioRules = { ...driftRules, canEnd: () => true };

describe('in all histories of attempts to end an epoch', () => {
  test.each<readonly [string, Omit<Attempts, 'rules'>]>([
    ['two proposers with two proposals each', { wishes: [2, 2], restarts: [0, 0] }],
    ['a proposer that restarts between its proposals', { wishes: [2, 1], restarts: [1, 0] }],
  ])('at most one epoch follows: %s (N13)', (_what, attempts) => {
    const { situations, torn } = searchSuccession({ rules: eager, ...attempts });
    console.log(`${situations} states, exhausted`);
    expect(torn).toBeUndefined();
    expect(situations).toBeGreaterThan(1000);
  });
});

/** a and b decide together. x proposes two epochs, one after the other. */
const epoch: Epoch = {
  number: 0,
  members: [{ member: 'a' }, { member: 'b' }, { member: 'x', votes: false }],
  quorums: { kind: 'majority' },
  tokens: [],
};

/**
 * The epochs that are entered if x makes a second proposal after that event and receives the
 * answers to its first one again.
 */
function enteredOver(
  rules: NerioRules,
  between: 'is outranked' | 'starts anew',
): readonly string[] {
  const entered = new Set<string>();
  const started = (name: string, life = 0): MemberState => ({
    ...settled(selfNamed(name, { life }), epoch, 0, rules),
    campaigning: false,
  });
  const people = new Map(['a', 'b', 'x'].map((name) => [name, started(name)]));
  const take = (name: string, input: NerioInput): readonly Item[] => {
    const { state, outputs } = step(rules, people.get(name) ?? started(name), input, momentAt(0));
    people.set(name, state);
    for (const output of outputs)
      if (output.kind === 'epoch')
        entered.add(output.epoch.members.map(({ member }) => member).join());
    return outputs.flatMap((output) => (output.kind === 'send' ? [output.item] : []));
  };
  const hear = (
    name: string,
    from: string,
    items: readonly Item[],
    kind: Item['kind'],
  ): readonly Item[] =>
    items
      .filter((item) => item.kind === kind)
      .flatMap((item) =>
        take(name, {
          kind: 'received',
          from: { member: from, incarnation: `${from}0` },
          epoch: 0,
          item,
        }),
      );
  const want = (...names: string[]): readonly Item[] =>
    take('x', {
      kind: 'reconfigure',
      next: { members: names.map((member) => ({ member })), quorums: epoch.quorums },
    });

  const asked = want('a', 'b');
  const [ofA, ofB] = ['a', 'b'].map((name) => hear(name, 'x', asked, 'wedge')) as [
    readonly Item[],
    readonly Item[],
  ];
  const first = [...hear('x', 'a', ofA, 'wedged'), ...hear('x', 'b', ofB, 'wedged')];
  const accepted = hear('a', 'x', first, 'accept');
  if (between === 'is outranked')
    hear(
      'x',
      'a',
      [{ kind: 'outranked', by: { round: 9, member: 'y', incarnation: 'y0' } }],
      'outranked',
    );
  else people.set('x', started('x', 1));
  want('b', 'x');
  const second = [...hear('x', 'a', ofA, 'wedged'), ...hear('x', 'b', ofB, 'wedged')];
  const acceptedToo = hear('b', 'x', second, 'accept');
  hear('x', 'a', accepted, 'accepted');
  hear('x', 'b', acceptedToo, 'accepted');
  hear('b', 'x', first.slice(-1), 'accept');
  hear('b', 'a', accepted, 'accepted');
  return [...entered];
}

describe.each<readonly [string, 'is outranked' | 'starts anew', NerioRules['ballot']]>([
  [
    'numbers its attempts only by its promise',
    'is outranked',
    ({ member, incarnation }, promised) => ({ round: promised + 1, member, incarnation }),
  ],
  [
    'does not distinguish its incarnations',
    'starts anew',
    ({ member }, promised, known) => ({
      round: Math.max(promised, known) + 1,
      member,
      incarnation: '',
    }),
  ],
])('late answers, if a member %s', (_what, between, ballot) => {
  test('let two epochs follow', () => {
    expect(enteredOver({ ...eager, ballot }, between)).toEqual(['b,x', 'a,b']);
  });

  test('let one epoch follow by the protocol (N13)', () => {
    expect(enteredOver(eager, between)).toEqual(['a,b']);
  });
});
