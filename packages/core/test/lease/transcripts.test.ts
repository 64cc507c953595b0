// Each path of a lease as a text that people read. After a change that is meant: vitest --update.
import { expect, it } from 'vitest';
import type { RowStore } from '../../src/rows/row-store.ts';
import { Group } from './group.ts';

const paths: Readonly<Record<string, (group: Group) => void>> = {
  'first-claim'(group) {
    group.start('a');
    group.pass(1200);
  },
  'fail-over'(group) {
    group.start('a');
    group.pass(500);
    group.start('b');
    group.pass(1500);
    group.kill('a');
    group.pass(2500);
  },
  'hand-over'(group) {
    group.start('a');
    group.start('b');
    group.pass(1500);
    group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
    group.pass(100);
  },
  // No other member has read the term: the release says whose it was, so that b does not wait for a.
  'short-term'(group) {
    group.start('a');
    group.start('b');
    group.pass(1018);
    group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
    group.pass(400);
  },
  // Neither of two members that have resigned passes the partition on to the other one: c leads (M8).
  'two-resignations'(group) {
    for (const member of ['a', 'b', 'c']) group.start(member);
    group.pass(1500);
    group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
    group.pass(200);
    group.feed('b', { kind: 'resign', partition: 0, abstainMs: 0 });
    group.pass(1000);
  },
  close(group) {
    group.start('a');
    group.start('b');
    group.pass(1500);
    group.feed('a', { kind: 'close' });
    group.pass(300);
  },
  'cut-off'(group) {
    group.start('a');
    group.start('b');
    group.pass(1500);
    group.cut('a', 2500);
    group.pass(4000);
  },
  restart(group) {
    group.start('a');
    group.pass(1500);
    group.kill('a');
    group.pass(200);
    group.start('a', 2);
    group.pass(2500);
  },
  'lost-history'(group) {
    group.start('a');
    group.start('b');
    group.pass(1500);
    const before = [...group.store.rows];
    group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
    group.pass(300);
    group.change('is restored to what it was 300 ms ago', (store) => store.restore(before));
    group.pass(3000);
  },
  // The answer to a renewal is lost, so the next one is refused: what that exchange shows begins a term
  // once another one shows it (M3).
  'answer-lost'(group) {
    handOverBesideALostAnswer(group);
    group.pass(400);
  },
  // As before, and the store loses the record in between: nothing but that other exchange shows it.
  'loss-hidden'(group) {
    const before = handOverBesideALostAnswer(group);
    group.change('loses the release to a, and hides it', (store) => store.goBackTo(before));
    group.pass(3000);
  },
  // The opening is not made, and never repeated (M2).
  'history-lost-at-opening'(group) {
    group.start('a');
    group.pass(1013);
    group.change('is restored to what it is', (store) => store.restore([...store.rows]));
    group.pass(2500);
  },
  'given-up-work'(group) {
    group.start('a');
    group.start('b');
    group.pass(1500);
    const { token } = group.state('a').partitions[0] ?? { token: 0n };
    group.feed('a', { kind: 'fenced', partition: 0, token });
    group.pass(1500);
  },
  // The row says again what it said in an earlier term of a: that term is over (T3).
  'row-set-back'(group) {
    group.start('a');
    group.start('b');
    group.pass(1500);
    const before = group.store.rows.get('partition#0') ?? '';
    group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
    group.pass(500);
    group.change('says again what it said 500 ms ago', (store) => store.put('partition#0', before));
    group.pass(3000);
  },
  // A member that may renew its session but write no partition gives it up all the same (M9).
  'no-right-to-write'(group) {
    group.start('a');
    group.start('b');
    group.pass(1500);
    group.deny('a');
    group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
    group.pass(3000);
  },
  'proved-death'(group) {
    group.start('a');
    group.start('b');
    group.pass(2500);
    group.kill('a');
    group.feed('b', { kind: 'died', incarnation: 'a' });
    group.pass(100);
  },
  'row-removed'(group) {
    group.start('a');
    group.start('b');
    group.pass(1500);
    group.change('loses the row of partition 0', (store) => store.put('partition#0', null));
    group.pass(2500);
  },
};

/**
 * b hands its partition over to a, which does not know then that its own renewal took effect. Returns the
 * store as it was after that renewal, at the moment when a has read the release.
 */
function handOverBesideALostAnswer(group: Group): RowStore {
  group.start('a', 1, { partitions: 2 });
  group.start('b', 1, { partitions: 2 });
  group.pass(1500);
  const [a, b] = [group.state('a'), group.state('b')];
  const [index = 0] = b.led;
  while (a.flight === undefined) group.pass(1);
  group.pass(3);
  group.cut('a', 2);
  const before = group.store.copy();
  group.feed('b', { kind: 'resign', partition: index, abstainMs: 0 });
  while (a.partitions[index]?.owner !== a.own?.row) group.pass(1);
  return before;
}

it.each(Object.keys(paths))('%s', async (name) => {
  const group = new Group();
  paths[name]?.(group);
  await expect(`${group.lines.join('\n')}\n`).toMatchFileSnapshot(`transcripts/${name}.txt`);
});

it('keeps its session until work that was given up has had the rest of its lease (M9, H3)', () => {
  const group = new Group({ partitions: 2 });
  group.start('a');
  group.pass(1500);
  group.deny('a');
  group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
  group.pass(800);
  const { token } = group.state('a').partitions[1] ?? { token: 0n };
  group.feed('a', { kind: 'fenced', partition: 1, token });
  const { silentUntil } = group.state('a').partitions[1] ?? { silentUntil: 0 };
  group.pass(2000);
  const ended = group.lines.find((line) => line.includes('ends session a/1'));
  expect(Number.parseInt(ended ?? '', 10)).toBeGreaterThanOrEqual(Math.round(silentUntil));
});
