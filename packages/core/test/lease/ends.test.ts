// How a term ended, as an observer reads it from the rows.
import { describe, expect, it } from 'vitest';
import { Group } from './group.ts';

/** A group whose member `a` leads, with another candidate and an observer. */
function led(): Group {
  const group = new Group();
  group.start('a');
  group.start('b');
  group.start('o', 1, { campaign: false });
  group.pass(2500);
  return group;
}

/** Returns what a member has reported since `a` began to lead. */
function sinceA(group: Group, name: string): readonly string[] {
  return (group.reports.get(name) ?? []).slice(1);
}

const tokenOf = (group: Group): bigint => group.state('a').partitions[0]?.token ?? 0n;

describe('the end of a term', () => {
  it('is a hand-over if its leader released it, to the next leader or to none', () => {
    for (const input of [
      { kind: 'resign', partition: 0, abstainMs: 0 },
      { kind: 'close' },
    ] as const) {
      const group = led();
      group.feed('a', input);
      group.pass(1500);
      const reports = sinceA(group, 'o');
      expect(reports.join(), input.kind).toMatch(
        /^(nobody after handed-over,)?b( after handed-over)?$/,
      );
      expect(reports.join(), input.kind).toContain('after handed-over');
    }
  });

  it('is a lapse if its leader was killed, in the eyes of the successor too', () => {
    const group = led();
    group.kill('a');
    group.pass(2500);
    for (const name of ['b', 'o'])
      expect(sinceA(group, name), name).toEqual(['nobody after lapsed', 'b after lapsed']);
  });

  it('is a proved death if a guard has proved it', () => {
    const group = led();
    group.kill('a');
    group.feed('b', { kind: 'died', incarnation: 'a' });
    group.pass(1500);
    expect(sinceA(group, 'o').join()).toContain('after proved-dead');
    expect(sinceA(group, 'o').join()).not.toMatch(/lapsed|handed-over/);
  });

  it('is a lapse if the work was given up, although its leader releases it later', () => {
    const group = led();
    group.feed('a', { kind: 'fenced', partition: 0, token: tokenOf(group) });
    group.pass(2500);
    const text = sinceA(group, 'o').join();
    expect(text).toContain('after lapsed');
    expect(text).not.toContain('handed-over');
  });

  it('is not known if changes between were not read, or if the row is another one', () => {
    const group = led();
    group.cut('o', 3000);
    group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
    group.pass(1000);
    group.feed('b', { kind: 'resign', partition: 0, abstainMs: 0 });
    group.pass(4000);
    const reports = sinceA(group, 'o');
    expect(reports.length).toBeGreaterThan(0);
    expect(reports.join()).not.toContain('after');

    const other = led();
    other.change('loses the row of partition 0', (store) => store.put('partition#0', null));
    other.pass(2500);
    expect(sinceA(other, 'o').join()).not.toContain('after');
  });

  it('is not a lapse while the observer reads nothing, and the observer reports it once it reads again', () => {
    const group = led();
    group.cut('o', 1500);
    group.pass(300);
    group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
    group.pass(2700);
    expect(sinceA(group, 'o')).toEqual(['nobody', 'b after handed-over']);
  });

  it('is reported with a leader that only a notification has shown', () => {
    for (const how of ['handed-over', 'lapsed'] as const) {
      const group = led();
      if (how === 'lapsed') group.kill('a');
      else group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
      const { version } = JSON.parse(group.store.rows.get('partition#0') ?? '');
      const isNext = (): boolean =>
        JSON.parse(group.store.rows.get('partition#0') ?? '').session?.startsWith('b') === true;
      group.cut('o', 5000);
      while (!isNext()) group.pass(1);
      expect(JSON.parse(group.store.rows.get('partition#0') ?? '').version).toBeGreaterThan(
        version,
      );
      const names = ['session#a/1', 'session#b/1', 'partition#0'];
      const rows = names.map((name) => [name, group.store.rows.get(name) ?? null] as const);
      const before = sinceA(group, 'o').length;
      group.feed('o', { kind: 'notified', rows });
      expect(sinceA(group, 'o').slice(before), how).toEqual([`b after ${how}`]);
    }
  });
});
