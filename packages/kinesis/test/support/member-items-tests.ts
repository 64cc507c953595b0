import { balanced, presenceRowName, requestRowName } from '@leadership/core/internal/lease';
import { afterAll, beforeAll, it } from 'vitest';
import { type Item, keys, textField, textIn } from '../../src/table/layout.ts';
import { type Table, tableOf } from '../../src/table/table.ts';
import { eventually } from './eventually.ts';
import type { LocalTable } from './local-table.ts';
import { type Member, openMember } from './member.ts';
import { itemOf, putItem } from './strange-items.ts';

/** Longer than any wait in a test. Milliseconds. */
const ageMs = 60_000;
/**
 * A short T, so that leftover items expire soon; a short poll interval; and a request timeout that
 * is not limited to a third of T. Milliseconds.
 */
const often = { thresholdMs: 120, pollMs: 20, limitMs: ageMs };
const never = new AbortController().signal;

/** Tests that the members' items must pass on any table. */
export function memberItemsTests(openTable: () => Promise<LocalTable>): void {
  let table: LocalTable;
  beforeAll(async () => {
    table = await openTable();
  });
  afterAll(() => table[Symbol.asyncDispose]());

  const newGroup = (): string => `group-${crypto.randomUUID()}`;
  const names = async (group: string): Promise<readonly string[]> =>
    (await tableOf(table.client, table.name).items(group, never)).map(
      (item) => textIn(item, keys.item) ?? '',
    );
  const leave = (group: string, item: string, note: object): Promise<void> =>
    putItem(table, group, item, { [textField]: { S: JSON.stringify(note) } });
  const leaseRequest = (incarnation: string): object => ({
    partition: 0,
    id: `${incarnation}/1`,
    incarnation,
    member: incarnation,
    thresholdMs: 120,
  });

  it('keep changing even if every second write fails, so that a throttled member does not look gone', async () => {
    const group = newGroup();
    await using one = openMember(table, { group, ...often, wrong: everySecondFails });
    const { incarnation, clock, random } = one.host;
    const backOff = { firstMs: 10, lastMs: 20, random };
    const placement = balanced(one.presence, { incarnation, partitions: 1, clock, backOff });
    placement.setCandidate(true);
    const seen = new Set<string>();
    await eventually('the item has changed three times', async () => {
      seen.add(
        textIn((await itemOf(table, group, presenceRowName(incarnation))) ?? {}, textField) ?? '',
      );
      return seen.size > 3;
    });
    placement.setCandidate(false);
  });

  it('are removed in bulk after their members have crashed; the item of a live member stays', async () => {
    const group = newGroup();
    const gone = Array.from({ length: 40 }, (_, index) => `gone-${index}`);
    await Promise.all(
      gone.flatMap((incarnation) => [
        leave(group, presenceRowName(incarnation), { incarnation, member: incarnation, beat: 1 }),
        leave(group, requestRowName(0, incarnation), leaseRequest(incarnation)),
      ]),
    );
    await using one = openMember(table, { group, ...often });
    using following = followed(one);
    let beat = 0;
    await eventually('the leftover items are removed', async () => {
      beat += 1;
      await leave(group, presenceRowName('alive'), { incarnation: 'alive', member: 'alive', beat });
      return (await names(group)).every((name) => !name.includes('gone-'));
    });
    await eventually('the live member is present', async () => {
      beat += 1;
      await leave(group, presenceRowName('alive'), { incarnation: 'alive', member: 'alive', beat });
      return following.present().join() === 'alive';
    });
  });

  it.each([
    {
      kind: 'presence',
      item: presenceRowName,
      note: (incarnation: string): object => ({ incarnation, member: incarnation, beat: 1 }),
    },
    {
      kind: 'lease request',
      item: (incarnation: string): string => requestRowName(0, incarnation),
      note: leaseRequest,
    },
  ])('are received while others cannot be removed: a $kind', async ({ item, note }) => {
    const group = newGroup();
    const line = `slow-${group}`;
    using _swallowed = table.proxy.inject(
      { kind: 'swallow' },
      { line, operations: ['DeleteItem'] },
    );
    await Promise.all(
      ['gone-1', 'gone-2'].map((incarnation) => leave(group, item(incarnation), note(incarnation))),
    );
    await using one = openMember(table, { group, ...often, line });
    using following = followed(one);
    await eventually(
      'a removal is in progress',
      () => (table.proxy.counts(line).get('DeleteItem') ?? 0) > 0,
    );
    await leave(group, item('new'), note('new'));
    await eventually('the new item is received', () =>
      [...following.present(), ...following.asked].includes('new'),
    );
  });
}

/** Fails every second write of a member's item. */
function everySecondFails(table: Table): Table {
  let notes = 0;
  return {
    ...table,
    put(item: Item, ...condition) {
      const isMembers = textIn(item, keys.item)?.startsWith('member#') ?? false;
      notes += Number(isMembers);
      return isMembers && notes % 2 === 0
        ? Promise.reject(new Error('refused'))
        : table.put(item, ...condition);
    },
  };
}

/** Follows presence and lease requests as an engine does. */
function followed({
  presence,
  ledger,
}: Member): Disposable & { present(): readonly string[]; readonly asked: readonly string[] } {
  const stop = new AbortController();
  const asked: string[] = [];
  let present: readonly string[] = [];
  const followPresence = async (): Promise<void> => {
    for await (const now of presence.present(stop.signal)) present = now;
  };
  const followLeaseRequests = async (): Promise<void> => {
    for await (const { incarnation } of ledger.leaseRequests?.received(stop.signal) ?? [])
      asked.push(incarnation);
  };
  void Promise.all([followPresence(), followLeaseRequests()]);
  return { present: () => present, asked, [Symbol.dispose]: () => stop.abort() };
}
