import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { parseRecord, registerRowName } from '@leadership/core/internal/lease';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textField, textIn } from '../../src/table/layout.ts';
import { eventually } from './eventually.ts';
import type { LocalTable } from './local-table.ts';
import { type Member, type MemberOptions, openMember } from './member.ts';
import { deleteItems, itemOf, putItem, recordOf } from './strange-items.ts';

const kinds = (member: Member) => member.events.map(({ kind }) => kind);
const ignored = (member: Member) =>
  member.events.flatMap((item) => (item.kind === 'ignored' ? [item.what] : []));
const often = { pollMs: 20 };

/**
 * Tests that any table must pass as a register. `tellsWhatWon`: whether a failed condition returns
 * the current item.
 */
export function registerTests(openTable: () => Promise<LocalTable>, tellsWhatWon: boolean): void {
  let table: LocalTable;
  let groups = 0;
  let group = '';
  const open = (options: MemberOptions = {}): Member => openMember(table, { group, ...options });
  beforeAll(async () => {
    table = await openTable();
  });
  afterAll(() => table[Symbol.asyncDispose]());
  const fresh = (): void => {
    groups += 1;
    group = `group ${groups} ✓`;
  };

  it('starts with a genesis and no record in effect', async () => {
    fresh();
    await using one = open();
    await one.opened();
    expect(one.events).toEqual([{ kind: 'end', partitions: [0] }]);
    const item = (await itemOf(table, group, 'partition#0')) ?? {};
    expect(Object.keys(item).sort()).toEqual(['group', 'item', 'text']);
  });

  it('stores a record as text that any console can show', async () => {
    fresh();
    await using one = open();
    await one.opened();
    expect(await one.writeNext()).toBe('in-effect');
    expect(await one.writeNext({ kind: 'release' })).toBe('in-effect');
    const record = one.current();
    expect(record?.height).toBe(1);
    expect(
      parseRecord(textIn((await itemOf(table, group, registerRowName(0))) ?? {}, textField) ?? ''),
    ).toEqual(record);
  });

  it('L1: refuses a record that does not name the current one, and the losing member reads the winning record at once', async () => {
    fresh();
    await using one = open();
    await using other = open({ member: 'o' });
    await Promise.all([one.opened(), other.opened()]);
    await one.writeNext();
    expect(await one.writeNext({ after: 'someone/else/1' })).toBe('refused');
    expect(await other.writeNext()).toBe('refused');
    await eventually(
      'the losing member reads the winning record',
      () => other.current()?.id === one.current()?.id,
    );
  });

  it('exactly one of many concurrent writers of one height wins, each time', async () => {
    fresh();
    const members = Array.from({ length: 8 }, (_, index) =>
      open({ member: `m${index}`, ...often }),
    );
    await Promise.all(members.map((member) => member.opened()));
    for (let height = 0; height < 20; height += 1) {
      const outcomes = await Promise.all(members.map((member) => member.writeNext()));
      expect(outcomes.filter((outcome) => outcome === 'in-effect')).toHaveLength(1);
      await eventually(`all members read height ${height}`, () =>
        members.every((member) => member.current()?.height === height),
      );
      expect(new Set(members.map((member) => member.current()?.id)).size).toBe(1);
    }
    await Promise.all(members.map((member) => member[Symbol.asyncDispose]()));
  });

  it('reads a register again from its start on request (L12)', async () => {
    fresh();
    await using one = open();
    await one.opened();
    await one.writeNext();
    one.ledger.reread(0);
    await eventually(
      'the register is read to its end again',
      () => kinds(one).filter((what) => what === 'end').length === 2,
    );
    expect(kinds(one).slice(-3)).toEqual(['restarted', 'record', 'end']);
  });

  it('reads further pages if one response does not hold all items', async () => {
    fresh();
    for (let index = 0; index < 4; index += 1)
      await putItem(table, group, `filler#${index}`, { [textField]: { S: 'x'.repeat(390_000) } });
    await using one = open({ thresholdMs: 60_000 });
    await one.opened();
    expect(ignored(one)).toEqual(Array(4).fill('foreign-row'));
    expect(await one.writeNext()).toBe('in-effect');
    await using late = open({ thresholdMs: 60_000 });
    await late.opened();
    expect(late.current()?.id).toBe(one.current()?.id);
  });

  it('is created by members only: an observer waits for them', async () => {
    fresh();
    await using observer = open({ observes: true, ...often });
    await observer.opened();
    expect(await itemOf(table, group, 'partition#0')).toBeUndefined();
    await using one = open();
    await one.opened();
    await one.writeNext();
    await eventually(
      'the observer reads the record',
      () => observer.current()?.id === one.current()?.id,
    );
  });

  describe('an item without a readable record', () => {
    const spoils: Record<
      string,
      Readonly<Record<string, { readonly S: string } | { readonly N: string }>>
    > = {
      garbage: { [textField]: { S: '{"half": ' } },
      'with a number': { [textField]: { N: '1' } },
      'with nothing': {},
      'with a life and half a record': { [textField]: { S: '{"life":"l","id":"x"}' } },
    };
    it.each(Object.keys(spoils))(
      'counts as the same hold by a stranger for each reader, and can be replaced: %s',
      async (name) => {
        fresh();
        await using one = open(often);
        await one.opened();
        await one.writeNext();
        await putItem(table, group, 'partition#0', spoils[name] ?? {});
        await eventually('the reader reads the item', () => one.current()?.member === 'unreadable');
        await using late = open({ member: 'late', ...often });
        await late.opened();
        expect(late.current()).toEqual(one.current());
        expect(late.current()).toMatchObject({ height: 0, kind: 'hold', thresholdMs: 5000 });
        expect(ignored(late)).toEqual(['unreadable-row']);
        const strangers = { after: one.current()?.id ?? null, height: 1 };
        expect(await late.writeNext()).toBe('in-effect');
        expect(await one.writeNext(strangers)).toBe('refused');
        await eventually(
          'the other member reads the new record',
          () => one.current()?.id === late.current()?.id,
        );
      },
    );

    it('cannot be replaced if it is the pin, and is reported', async () => {
      fresh();
      await putItem(table, group, 'pin', { [textField]: { S: 'x' } });
      await using one = open({ partitions: [-1, 0] });
      await expect(one.failure).resolves.toMatchObject({
        code: 'misconfigured-backend',
        message: expect.stringContaining('pin'),
      });
    });
  });

  describe('a deleted register', () => {
    it('gets a new life, and each member reads that it restarted', async () => {
      fresh();
      await using one = open(often);
      await using other = open({ member: 'o', ...often });
      await Promise.all([one.opened(), other.opened()]);
      await one.writeNext();
      await one.writeNext();
      await deleteItems(table, group);
      for (const member of [one, other])
        await eventually(
          'the register restarts',
          () => kinds(member).slice(-2).join() === 'restarted,end',
        );
      expect(await one.writeNext()).toBe('in-effect');
      await eventually(
        'the other member reads the record',
        () => other.current()?.id === one.current()?.id,
      );
    });

    it('refuses a claim that was based on the empty register before: an empty register has an identity too', async () => {
      fresh();
      await using one = open();
      await using sleeper = open({ member: 'o' });
      await Promise.all([one.opened(), sleeper.opened()]);
      await one.writeNext();
      await deleteItems(table, group);
      await using third = open({ member: 'p' });
      await third.opened();
      expect(await sleeper.writeNext()).toBe('refused');
      await eventually('the restart is reported', () => kinds(sleeper).includes('restarted'));
      expect(await sleeper.writeNext()).toBe('in-effect');
    });

    it('that is recreated with the same or a greater height is not a succession (ABA)', async () => {
      fresh();
      await using one = open();
      await using other = open({ member: 'o', ...often });
      await Promise.all([one.opened(), other.opened()]);
      await one.writeNext();
      await eventually('the other member reads the record', () => other.current()?.height === 0);
      const known = await recordOf(table, group, 0);
      const again = { ...known, id: 'x/1', after: 'x/0', height: 5, token: '9' };
      await putItem(table, group, 'partition#0', {
        [textField]: { S: JSON.stringify({ life: 'by hand', ...again }) },
      });
      expect(await one.writeNext()).toBe('refused');
      await eventually(
        'the other member reads the new record',
        () => other.current()?.id === 'x/1',
      );
      expect(kinds(other).slice(-3)).toEqual(['restarted', 'record', 'end']);
    });
  });

  describe('a write', () => {
    it('whose reply is lost is read back as the member’s own', async () => {
      fresh();
      await using one = open({ line: 'lossy', ...often });
      await one.opened();
      {
        using _lost = table.proxy.inject(
          { kind: 'lose-reply' },
          { line: 'lossy', operations: ['PutItem'] },
        );
        await expect(one.writeNext()).rejects.toMatchObject({ code: 'unreachable' });
      }
      await eventually(
        'the record is read',
        () => one.current()?.incarnation === one.host.incarnation,
      );
      expect(kinds(one)).toEqual(['end', 'record']);
    });

    it('that is throttled takes no effect, and is reported as throttled', async () => {
      fresh();
      await using one = open({ line: 'slow' });
      await one.opened();
      const code = 'ProvisionedThroughputExceededException';
      {
        using _throttled = table.proxy.inject(
          { kind: 'error', code },
          { line: 'slow', operations: ['PutItem'] },
        );
        await expect(one.writeNext()).rejects.toMatchObject({
          code: 'unreachable',
          message: expect.stringContaining('throttled'),
        });
      }
      expect(await one.writeNext()).toBe('in-effect');
    });

    it('that is throttled leaves time to retry within the lease', async () => {
      fresh();
      const thresholdMs = 24_000;
      await using one = open({ line: 'unlucky', thresholdMs, random: () => 0.999 });
      await one.opened();
      const code = 'ProvisionedThroughputExceededException';
      using _throttled = table.proxy.inject(
        { kind: 'error', code },
        { line: 'unlucky', operations: ['PutItem'] },
      );
      const since = performance.now();
      await expect(one.writeNext()).rejects.toMatchObject({ code: 'unreachable' });
      // The pause of at most T/24 separates throttled writers. It must stay far below T/3, the
      // renewal interval.
      expect(performance.now() - since).toBeGreaterThan(0.9 * (thresholdMs / 24));
      expect(performance.now() - since).toBeLessThan(thresholdMs / 6);
    });

    // Some emulators do not return the current item when a condition fails.
    it.runIf(tellsWhatWon)(
      'that the SDK retries does not lose to its own first attempt',
      async () => {
        fresh();
        // More attempts than can fall into the time in which replies are lost.
        const config = {
          requestHandler: new NodeHttpHandler(),
          ...table.config('retrying'),
          maxAttempts: 10,
        };
        const client = new DynamoDBClient(config);
        await using one = open({ client });
        await one.opened();
        const lost = table.proxy.inject(
          { kind: 'lose-reply' },
          { line: 'retrying', operations: ['PutItem'] },
        );
        const before = table.proxy.counts('retrying').get('PutItem') ?? 0;
        const written = one.writeNext();
        await eventually(
          'the reply is lost',
          () => (table.proxy.counts('retrying').get('PutItem') ?? 0) > before,
        );
        lost[Symbol.dispose]();
        expect(await written).toBe('in-effect');
        expect(table.proxy.counts('retrying').get('PutItem')).toBeGreaterThan(before + 1);
        client.destroy();
      },
    );
  });

  it('that is temporarily unreadable is reported, read less and less often, and does not restart', async () => {
    fresh();
    await using one = open({ line: 'away', thresholdMs: 800, ...often });
    await one.opened();
    await one.writeNext();
    const reads = () => table.proxy.counts('away').get('Query') ?? 0;
    const first = reads();
    const throttled = table.proxy.inject(
      { kind: 'error', code: 'ThrottlingException' },
      { line: 'away' },
    );
    await eventually('the problem is reported', () =>
      [...one.host.troubles].some((trouble) => trouble.includes('throttled')),
    );
    await eventually('the reader has backed off', () => reads() >= first + 6);
    const [before, since] = [reads(), performance.now()];
    await eventually('the reader has read four more times', () => reads() >= before + 4);
    // Pauses grow from 20 ms to T/2, less at most a tenth. Four of the longest are due, less the
    // one in progress.
    expect(performance.now() - since).toBeGreaterThan(3 * 0.9 * 320);
    expect(one.host.calls).toHaveLength(1);
    throttled[Symbol.dispose]();
    await eventually('the problem is cleared', () => one.host.troubles.size === 0);
    expect(kinds(one)).not.toContain('restarted');
  });
}
