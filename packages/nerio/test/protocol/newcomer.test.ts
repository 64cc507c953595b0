// A newcomer has granted, claimed and led nothing in this incarnation, and cannot know yet whether
// its pin is the group's (R4).
import { expect, test } from 'vitest';
import {
  driftRules,
  type Epoch,
  type InitialInput,
  type Item,
  type MemberState,
  type NerioInput,
  newMember,
  step,
} from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed } from '../support/test-members.ts';

const epoch = epochOf(['a', 'b', 'c']);
/** The same epoch in which a is not a candidate: all its grants go to others. */
const voting: Epoch = {
  ...epoch,
  members: [{ member: 'a', stands: false }, { member: 'b' }, { member: 'c' }],
};
const self = selfNamed('a');
const remembers: Partial<InitialInput> = { memory: { epoch: 0, grants: [] } };

function newcomer(of = voting): MemberState {
  return newMember(
    driftRules,
    self,
    { hardState: { epoch: of, wedge: undefined }, knowsPin: false, ...remembers },
    momentAt(0),
  );
}

function after(state: MemberState, at: number, ...inputs: readonly NerioInput[]): MemberState {
  return inputs.reduce((now, input) => step(driftRules, now, input, momentAt(at)).state, state);
}

const tried = (member: string): NerioInput => ({ kind: 'tried', member });
const differs = (member: string): NerioInput => ({ kind: 'differs', member });

/** The member's answer to a request of b for the lease. */
function answer(state: MemberState, at: number): string | undefined {
  const start = { incarnation: 'b0', at, count: 0 };
  const request: Item = {
    kind: 'grant-request',
    partition: 0,
    start,
    leaseMs: 1000,
    token: 9n,
    standing: 'claiming',
    successor: -1,
  };
  const input: NerioInput = {
    kind: 'received',
    from: { member: 'b', incarnation: 'b0' },
    epoch: 0,
    item: request,
  };
  const said = step(driftRules, state, input, momentAt(at)).outputs.flatMap((output) =>
    output.kind === 'send' ? [output.item] : [],
  );
  return said.find(({ kind }) => kind === 'ok' || kind === 'refused')?.kind;
}

test('a member that remembers its grants grants once it has tried all members, including those outside its quorum (R4)', () => {
  const one = after(newcomer(), 10, tried('b'));
  expect(answer(one, 11)).toBe('refused');
  expect(answer(after(one, 12, tried('c')), 13)).toBe('ok');
});

test('it waits for members that it cannot try for half a lease at most (R4)', () => {
  expect(answer(newcomer(), self.spacingMs / 2 - 1)).toBe('refused');
  expect(answer(newcomer(), self.spacingMs / 2)).toBe('ok');
});

test('it also claims nothing before that (R4)', () => {
  const urged: NerioInput = { kind: 'find', partition: 0, id: 1, timeoutMs: 100 };
  expect(after(newcomer(epoch), 10, urged, tried('b')).claims[0]?.round).toBeUndefined();
  expect(after(newcomer(epoch), 10, urged, tried('b'), tried('c')).claims[0]?.round).toBeDefined();
});

test('until it listens it grants and claims nothing, however long that takes and whoever it has tried (R4)', () => {
  const deaf = (of: Epoch): MemberState =>
    newMember(
      driftRules,
      self,
      {
        hardState: { epoch: of, wedge: undefined },
        knowsPin: false,
        isListening: false,
        ...remembers,
      },
      momentAt(0),
    );
  const late = 1000 * self.spacingMs;
  expect(answer(after(deaf(voting), 10, tried('b'), tried('c')), late)).toBe('refused');
  expect(answer(after(deaf(voting), late, { kind: 'listening' }), late)).toBe('ok');
  const urged: NerioInput = { kind: 'find', partition: 0, id: 1, timeoutMs: 100 };
  expect(after(deaf(epoch), late, urged).claims[0]?.round).toBeUndefined();
  expect(after(deaf(epoch), late, { kind: 'listening' }, urged).claims[0]?.round).toBeDefined();
});

test('another pin, also of a member outside its epoch, ends it for good before its first grant, and not after (R4)', () => {
  for (const other of ['c', 'd']) {
    const refused = after(newcomer(), 10, tried('b'), differs(other), tried('c'));
    expect(answer(refused, 5000)).toBe('refused');
    expect(refused.claims[0]?.round).toBeUndefined();
    const outputs = step(driftRules, newcomer(), differs(other), momentAt(10)).outputs;
    expect(outputs).toContainEqual({ kind: 'refused', member: other });
  }
  const start = { incarnation: 'b0', at: 12, count: 0 };
  const item: Item = {
    kind: 'grant-request',
    partition: 0,
    start,
    leaseMs: 1000,
    token: 9n,
    standing: 'claiming',
    successor: -1,
  };
  const granted = after(newcomer(), 12, tried('b'), tried('c'), {
    kind: 'received',
    from: { member: 'b', incarnation: 'b0' },
    epoch: 0,
    item,
  });
  const later = step(driftRules, granted, differs('c'), momentAt(13));
  expect(later.outputs.filter(({ kind }) => kind === 'refused')).toEqual([]);
  expect(answer(later.state, 14)).toBe('ok');
});
