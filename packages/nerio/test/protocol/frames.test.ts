// Several messages of one moment, processed in one step.
import { expect, test } from 'vitest';
import {
  driftRules,
  type Item,
  type NerioInput,
  type NerioOutput,
  step,
  stepAll,
} from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed, settled } from '../support/test-members.ts';

const partitions = 3;
const epoch = {
  ...epochOf([]),
  members: [{ member: 'v', stands: false }, { member: 'p' }, { member: 'q' }],
};

function request(member: string, partition: number): NerioInput {
  const item: Item = {
    kind: 'grant-request',
    partition,
    start: { incarnation: `${member}0`, at: 10, count: partition },
    leaseMs: 1000,
    token: 9n,
    standing: 'claiming',
    successor: -1,
  };
  return { kind: 'received', from: { member, incarnation: `${member}0` }, epoch: 0, item };
}

const answersOf = (outputs: readonly NerioOutput[]) =>
  outputs.flatMap((output) =>
    output.kind === 'send' && output.item.kind !== 'ping' ? [output.item] : [],
  );

test('messages of one frame have the same effect as one after the other at the same moment', () => {
  const voter = settled(selfNamed('v', { partitions }), epoch);
  const inputs = [request('p', 0), request('p', 1), request('q', 1), request('p', 2)];
  const together = stepAll(driftRules, voter, inputs, momentAt(20));
  const apart = inputs.reduce(
    ({ state, outputs }, input) => {
      const next = step(driftRules, state, input, momentAt(20));
      return { state: next.state, outputs: [...outputs, ...next.outputs] };
    },
    { state: voter, outputs: [] as readonly NerioOutput[] },
  );
  expect(answersOf(together.outputs)).toEqual(answersOf(apart.outputs));
  expect(together.state.grants).toEqual(apart.state.grants);
  expect(together.state.grants.map(({ holder }) => holder?.member)).toEqual(['p', 'p', 'p']);
});

test('the quorum of one partition in a frame does not wait for the rest of it', () => {
  const candidate = settled(selfNamed('p', { partitions: 1 }), epochOf(['p', 'q', 'v']));
  const { state, outputs } = step(driftRules, candidate, { kind: 'wake' }, momentAt(5000));
  const asked = answersOf(outputs).find((item) => item.kind === 'grant-request');
  if (asked?.kind !== 'grant-request') throw new Error('the candidate did not send a request');
  const ok = (member: string): NerioInput => ({
    kind: 'received',
    from: { member, incarnation: `${member}0` },
    epoch: 0,
    item: {
      kind: 'ok',
      partition: 0,
      start: asked.start,
      life: 0,
      at: { at: 5001, count: 0 },
      rival: 0n,
      waitedMs: 0,
      isEnding: false,
    },
  });
  const { outputs: after } = stepAll(driftRules, state, [ok('q'), ok('v')], momentAt(5010));
  expect(after.filter(({ kind }) => kind === 'granted')).toHaveLength(1);
});
