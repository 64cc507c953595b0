// The rules of the adapter, as opposed to those of the engine. Each has mutants that break it: the
// test must fail with the mutant, or it would prove nothing.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { pinRegister, registerRowName } from '@leadership/core/internal/lease';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamoDbOf } from '../../src/client/aws-client.ts';
import { type Item, textField, textIn } from '../../src/table/layout.ts';
import type { Table } from '../../src/table/table.ts';
import { eventually } from './eventually.ts';
import type { LocalTable } from './local-table.ts';
import { type Member, type MemberOptions, openMember } from './member.ts';
import { deleteItems, itemOf, putItem } from './strange-items.ts';

type Mistake = (table: Table) => Table;

/**
 * A rule that the adapter must satisfy. `open` opens a member of one group, with or without a
 * mutant.
 */
interface Rule {
  readonly claim: string;
  readonly mistakes: Readonly<Record<string, Mistake>>;
  holds(
    open: (member: string, options?: MemberOptions) => Member,
    place: { table: LocalTable; group: string },
  ): Promise<boolean>;
}

const often = { pollMs: 20 };

/** The fields of a text as JSON. */
const fieldsIn = (text: string | undefined): Readonly<Record<string, unknown>> =>
  JSON.parse(text ?? '{}') as Readonly<Record<string, unknown>>;

/** Compares only some fields of the text: a write that expects any text with the same fields takes effect. */
const comparing =
  (
    alike: (
      found: Readonly<Record<string, unknown>>,
      expected: Readonly<Record<string, unknown>>,
    ) => boolean,
  ): Mistake =>
  (table) => ({
    ...table,
    async put(item, expected, signal) {
      const [group, name] = [textIn(item, 'group') ?? '', textIn(item, 'item') ?? ''];
      const found = (await table.items(group, signal)).find((one) => textIn(one, 'item') === name);
      const text = expected?.[textField]?.S;
      const isAlike =
        text !== undefined &&
        found !== undefined &&
        alike(fieldsIn(textIn(found, textField)), fieldsIn(text));
      return table.put(item, isAlike ? {} : expected, signal);
    },
  });

/** Makes each read return the result of the one before, as an eventually consistent read may. */
const eventualReadings: Mistake = (table) => {
  let last: readonly Item[] | undefined;
  return {
    ...table,
    async items(group, signal) {
      const shown = last;
      // The read must complete before the next write starts, although its result is not returned
      // yet.
      last = await table.items(group, signal);
      return shown ?? last;
    },
  };
};

/** Returns another text than the one that a failed write lost to. */
const blind: Mistake = (table) => ({
  ...table,
  async put(item, expected, signal) {
    const outcome = await table.put(item, expected, signal);
    return outcome.done ? outcome : { done: false, found: { ...item, [textField]: { S: '{}' } } };
  },
});

const unpromised = (item: Item): Item => {
  const { pinned: _, ...rest } = fieldsIn(textIn(item, textField));
  return textIn(item, 'item') === 'pin'
    ? { ...item, [textField]: { S: JSON.stringify(rest) } }
    : item;
};

const rules: readonly Rule[] = [
  {
    claim: 'R3: a member whose guarantee differs from the pinned one is refused',
    mistakes: {
      'a pin without a guarantee': (table) => ({
        ...table,
        put: (item, ...condition) => table.put(unpromised(item), ...condition),
      }),
      'a reader that ignores the guarantee': (table) => ({
        ...table,
        items: async (group, signal) => (await table.items(group, signal)).map(unpromised),
      }),
    },
    async holds(open) {
      const pin = { partitions: [pinRegister] };
      await using first = open('first', { ...pin, guarantee: 'continuous' });
      await first.opened();
      await first.writeNext({ partition: pinRegister, kind: 'pin' });
      await using other = open('other', pin);
      const refused = await Promise.race([other.failure, other.opened()]);
      return (refused as { readonly code?: string } | undefined)?.code === 'misconfigured-backend';
    },
  },
  {
    claim:
      'L1: a claim over a record that was renewed meanwhile is refused, although the token is the same',
    mistakes: {
      'a write without a condition on the id': comparing(
        (found, expected) => found['life'] === expected['life'],
      ),
    },
    async holds(open) {
      await using holder = open('holder');
      await holder.opened();
      await holder.writeNext();
      // It reads only when it opens.
      await using sleeper = open('sleeper');
      await sleeper.opened();
      const seen = await eventually('the other member reads the record', () => sleeper.current());
      // The holder renews with the same token, which the other member does not read.
      await holder.writeNext();
      return (
        (await sleeper.writeNext({
          after: seen.id,
          height: seen.height + 1,
          token: seen.token + 1n,
        })) === 'refused'
      );
    },
  },
  {
    claim: 'a register that was claimed and deleted is not the empty register of before',
    mistakes: {
      'a write without a condition on the life': comparing(
        (found, expected) => found['id'] === expected['id'],
      ),
    },
    async holds(open, { table, group }) {
      await using holder = open('holder');
      await using sleeper = open('sleeper');
      await Promise.all([holder.opened(), sleeper.opened()]);
      await holder.writeNext();
      await deleteItems(table, group);
      await using third = open('third');
      await third.opened();
      return (await sleeper.writeNext()) === 'refused';
    },
  },
  {
    claim: 'a record that was deleted and recreated with the same height is another record (ABA)',
    mistakes: {
      'a write with a condition on the height only': comparing(
        (found, expected) => found['height'] === expected['height'],
      ),
    },
    async holds(open, { table, group }) {
      await using holder = open('holder');
      await holder.opened();
      await holder.writeNext();
      const text = textIn((await itemOf(table, group, registerRowName(0))) ?? {}, textField);
      const again = {
        ...fieldsIn(text),
        life: 'another',
        id: 'another/1',
        member: 'another',
        incarnation: 'another',
      };
      await deleteItems(table, group);
      await putItem(table, group, registerRowName(0), {
        [textField]: { S: JSON.stringify(again) },
      });
      return (await holder.writeNext()) === 'refused';
    },
  },
  {
    claim: 'a read that starts after a write was answered returns that write',
    mistakes: { 'eventually consistent reads': eventualReadings },
    async holds(open) {
      await using writer = open('writer');
      await using reader = open('reader');
      await Promise.all([writer.opened(), reader.opened()]);
      await writer.writeNext();
      reader.ledger.reread(0);
      await eventually(
        'the register is read again',
        () => reader.events.filter(({ kind }) => kind === 'end').length === 2,
      );
      return reader.current()?.id === writer.current()?.id;
    },
  },
  {
    claim: 'a write that the SDK retries after a lost reply does not lose to itself',
    mistakes: { 'a table that returns another item than the current one': blind },
    async holds(open, { table }) {
      const line = `retrying-${crypto.randomUUID()}`;
      // More attempts than can fall into the time in which replies are lost.
      const client = new DynamoDBClient({
        requestHandler: new NodeHttpHandler(),
        ...table.config(line),
        maxAttempts: 10,
      });
      await using writer = open('writer', { client });
      await writer.opened();
      const writes = (): number => table.proxy.counts(line).get('PutItem') ?? 0;
      const before = writes();
      const lost = table.proxy.inject({ kind: 'lose-reply' }, { line, operations: ['PutItem'] });
      const written = writer.writeNext();
      await eventually('the reply is lost', () => writes() > before);
      lost[Symbol.dispose]();
      const outcome = await written;
      client.destroy();
      return outcome === 'in-effect';
    },
  },
];

/**
 * Tests the rules of the adapter on a table that returns the current item when a condition fails.
 */
export function rulesTests(openTable: () => Promise<LocalTable>): void {
  let table: LocalTable;
  beforeAll(async () => {
    table = await openTable();
  });
  afterAll(() => table[Symbol.asyncDispose]());

  const holds = (rule: Rule, wrong?: Mistake): Promise<boolean> => {
    const group = `group-${crypto.randomUUID()}`;
    const open = (member: string, options: MemberOptions = {}): Member =>
      openMember(table, { group, member, ...(wrong && { wrong }), ...options });
    return rule.holds(open, { table, group });
  };

  describe.each(rules)('$claim', (rule) => {
    it('holds', async () => {
      expect(await holds(rule)).toBe(true);
    });

    it.each(Object.entries(rule.mistakes))('fails with %s', async (_name, mistake) => {
      expect(await holds(rule, mistake)).toBe(false);
    });
  });

  it('requests ask for consistent reads and are never retried, which no emulator could show', async () => {
    const client = new DynamoDBClient({ requestHandler: new NodeHttpHandler(), ...table.direct });
    const asked: { readonly name: string; readonly input: object }[] = [];
    client.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          asked.push({ name: String(commandName), input: args.input });
          return next(args);
        },
      { step: 'initialize' },
    );
    await using one = openMember(table, {
      group: `group-${crypto.randomUUID()}`,
      client,
      ...often,
    });
    await one.opened();
    await one.writeNext();
    await one.writeNext({ kind: 'release' });
    const inputs = (name: string): readonly object[] =>
      asked.filter((one) => one.name === name).map(({ input }) => input);
    expect(inputs('QueryCommand').length).toBeGreaterThan(0);
    for (const input of inputs('QueryCommand'))
      expect(input).toMatchObject({ ConsistentRead: true });
    expect(inputs('PutItemCommand').length).toBeGreaterThan(2);
    for (const input of inputs('PutItemCommand'))
      expect(input).toMatchObject({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
    client.destroy();
    const { client: own, close } = dynamoDbOf(table.direct);
    expect(await own.config.maxAttempts()).toBe(1);
    close();
  });

  it('L5: a record counts as received when its reply arrives, so a candidate waits for the lapse from then on', async () => {
    await using holder = openMember(table, { group: 'late', member: 'holder' });
    await holder.opened();
    await holder.writeNext();
    const lateMs = 400;
    using _late = table.proxy.inject(
      { kind: 'delay-reply', ms: lateMs },
      { line: 'reader', operations: ['Query'] },
    );
    const began = performance.now();
    await using reader = openMember(table, { group: 'late', member: 'reader', line: 'reader' });
    await reader.opened();
    const [first] = reader.events.flatMap((item) =>
      item.kind === 'record' ? [item.receivedAt] : [],
    );
    expect(first).toBeGreaterThan(began + lateMs);
  });
}
