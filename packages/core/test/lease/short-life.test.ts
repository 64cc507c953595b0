// A leader that is killed right after its first claim, before the others have read its session and before
// it has removed its note: fail-over takes no longer than later.
import { expect, it } from 'vitest';
import { partitionName, sessionName } from '../../src/lease/records.ts';
import type { NamedText } from '../../src/rows/rows.ts';
import { Group } from './group.ts';

/** T of the group, and how long a claim takes after it, with some room. Milliseconds. */
const [thresholdMs, claimMs] = [1000, 60];

/** Kills the first leader as soon as the store has its claim. Returns the rows of the claim. */
function killedAtOnce(): { readonly group: Group; readonly rows: readonly NamedText[] } {
  const group = new Group();
  for (const member of ['a', 'b', 'c']) group.start(member);
  const names = [sessionName('a/1'), partitionName(0)];
  while (!group.store.rows.has('session#a/1')) group.pass(1);
  group.kill('a');
  expect(group.store.rows.has('member#a')).toBe(true);
  return { group, rows: names.map((name) => [name, group.store.rows.get(name) ?? null]) };
}

function msUntilLed(group: Group): number {
  for (let ms = 0; ms < 10 * thresholdMs; ms += 1) {
    if (['b', 'c'].some((member) => group.state(member).led.has(0))) return ms;
    group.pass(1);
  }
  throw new Error('no member leads');
}

it('counts T from when a notification showed a session that is new (M4)', () => {
  const { group, rows } = killedAtOnce();
  for (const member of ['b', 'c']) group.feed(member, { kind: 'notified', rows });
  expect(msUntilLed(group)).toBeLessThan(thresholdMs + claimMs);
});

it('does not let the others wait for a member whose note they read after its session was shown', () => {
  const { group, rows } = killedAtOnce();
  for (const member of ['b', 'c']) group.feed(member, { kind: 'notified', rows });
  const note = group.store.rows.get('member#a');
  const changes = [{ name: 'member#a', expected: note ?? null, text: `${note} ` }];
  group.change('takes its last note late', (store) =>
    store.exchange({ changes, since: undefined }),
  );
  expect(msUntilLed(group)).toBeLessThan(thresholdMs + claimMs);
});

it('does not let the others wait for a member whose note has outlived its session', () => {
  const { group } = killedAtOnce();
  while (group.state('b').sessions.get('a/1')?.state !== 'live') group.pass(1);
  while (group.state('c').sessions.get('a/1')?.state !== 'live') group.pass(1);
  expect(msUntilLed(group)).toBeLessThan(thresholdMs + claimMs);
});

it('forgets a session that was shown and never read (M11)', () => {
  const { group } = killedAtOnce();
  group.feed('b', {
    kind: 'notified',
    rows: [[sessionName('d/1'), group.store.rows.get('session#a/1') ?? null]],
  });
  expect(group.state('b').sessions.has('d/1')).toBe(true);
  group.pass(30 * thresholdMs);
  expect(group.state('b').sessions.has('d/1')).toBe(false);
});

it('counts T of a session that is missing from a reading, never from a notification that showed it (M4)', () => {
  const group = new Group();
  for (const member of ['a', 'b']) group.start(member);
  group.pass(thresholdMs / 2);
  group.cut('b', 3 * thresholdMs);
  while (!group.store.rows.has('session#a/1')) group.pass(1);
  const row = [sessionName('a/1'), group.store.rows.get('session#a/1') ?? null] as const;
  group.feed('b', { kind: 'notified', rows: [row] });
  group.pass(2.4 * thresholdMs);
  expect(group.state('a').led.has(0)).toBe(true);
  // This member may still believe that it leads, although its session is gone.
  group.cut('a', 10 * thresholdMs);
  const changes = [
    { name: row[0], expected: group.store.rows.get('session#a/1') ?? null, text: null },
  ];
  group.change('loses the session', (store) => store.exchange({ changes, since: undefined }));
  let ms = 0;
  for (; !group.state('b').led.has(0); ms += 1) group.pass(1);
  expect(ms).toBeGreaterThanOrEqual(thresholdMs);
});
