// The requests of one member and its reactions to the answers: the SDK's own clients with services
// in memory.
import { partitionName } from '@leadership/core/adapter';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dynamoDbOf } from '../src/client/aws-client.ts';
import { countPartitions } from '../src/count-partitions.ts';
import { type KinesisOptions, kinesisLeadership, openKinesisLeadership } from '../src/index.ts';
import { kinesisOf } from '../src/stream/kinesis-client.ts';
import { streamOf } from '../src/stream/stream.ts';
import { keys, textField, textIn } from '../src/table/layout.ts';
import { tableOf } from '../src/table/table.ts';
import { eventually } from './support/eventually.ts';
import { openMember } from './support/member.ts';
import { type MemoryStream, memoryStream } from './support/memory-stream.ts';
import { type MemoryTable, memoryTable } from './support/memory-table.ts';
import { contentsOf, itemOf, putItem } from './support/strange-items.ts';

const never = new AbortController().signal;
let table: MemoryTable;
let stream: MemoryStream;
beforeEach(async () => {
  table = await memoryTable();
  stream = await memoryStream(1);
});
afterEach(() => Promise.all([table[Symbol.asyncDispose](), stream[Symbol.asyncDispose]()]));

const names = async (group: string): Promise<readonly string[]> =>
  (await tableOf(table.client, table.name).items(group, never)).map(
    (item) => textIn(item, keys.item) ?? '',
  );
const open = (member: string, options: Partial<KinesisOptions> = {}) =>
  kinesisLeadership({
    group: 'billing',
    member,
    partitions: 2,
    thresholdMs: 600,
    table: table.name,
    dynamodb: table.config(member),
    ...options,
  });
const beside = (member: string) => ({ stream: stream.name, kinesis: stream.config(member) });

it('creates many rows without a MaxListenersExceededWarning', async () => {
  const warned: string[] = [];
  const listen = ({ name }: Error): void => void warned.push(name);
  process.on('warning', listen);
  try {
    await using member = open('first', { partitions: 64 });
    await member.ready();
    // Node emits a warning in the next tick.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('warning', listen);
  }
  expect(warned).not.toContain('MaxListenersExceededWarning');
});

describe('a member that the pin refuses', () => {
  it.each<[string, Partial<KinesisOptions>]>([
    ['other partitions', { partitions: 256 }],
    ['another thresholdMsMax', { thresholdMsMax: 9000 }],
    ['another guarantee', { guarantee: 'continuous', thresholdMs: 900, membersMax: 1 }],
  ])('writes nothing to the table: %s', async (_what, options) => {
    await using first = open('first', { thresholdMsMax: 900 });
    await first.ready();
    const more = options.guarantee === 'continuous' ? beside('second') : {};
    await using second = open('second', { thresholdMsMax: 900, ...options, ...more });
    await expect(second.ready()).rejects.toMatchObject({
      code: expect.stringMatching(/partitions-differ|misconfigured-backend/),
    });
    expect(
      table.service.asked
        .filter(({ line, operation }) => line === 'second' && operation !== 'Query')
        .map((one) => one.operation),
    ).toEqual(['DescribeTable']);
  });

  it.each(['exclusive', 'continuous'] as const)(
    'changes nothing in a group that the first release has opened: %s',
    async (guarantee) => {
      const record = { group: 'billing', height: 0, member: 'm', incarnation: 'i', token: '0' };
      const fields = { ...record, after: null, thresholdMs: 300, life: 'i/1' };
      const pinned = { partitions: '2', thresholdMsMax: '5000' };
      const items = {
        pin: { ...fields, partition: -1, id: 'm/i/pin.1', kind: 'pin', metadata: pinned },
        [partitionName(0)]: { ...fields, partition: 0, id: 'm/i/1', kind: 'hold' },
        'member#i': { incarnation: 'i', member: 'm', beat: '000000000001' },
        'request#1#i': { ...fields, partition: 1, id: 'm/i/2' },
      };
      for (const [item, values] of Object.entries({
        ...items,
        pin: { ...items.pin, pinned: { guarantee } },
      }))
        await putItem(table, 'billing', item, { text: { S: JSON.stringify(values) } });
      const before = await contentsOf(table, 'billing');
      const more = { guarantee, ...(guarantee === 'continuous' && { membersMax: 1 }) };
      await using second = open('second', { thresholdMs: 900, ...more, ...beside('second') });
      await expect(second.ready()).rejects.toMatchObject({ code: 'partitions-differ' });
      await second.close();
      expect(await contentsOf(table, 'billing')).toEqual(before);
    },
  );

  it.each(['exclusive', 'continuous'] as const)(
    'is one of the first release: it takes a pin without a life for one that it cannot read: %s',
    async (guarantee) => {
      const more = { guarantee, ...(guarantee === 'continuous' && { membersMax: 1 }) };
      await using first = open('first', { thresholdMs: 900, ...more, ...beside('first') });
      await first.ready();
      const text = textIn((await itemOf(table, 'billing', 'pin')) ?? {}, textField) ?? '';
      expect(JSON.parse(text)).toMatchObject({ lease: 'session', partitions: 2 });
      expect(JSON.parse(text)).not.toHaveProperty('life');
    },
  );

  it('creates no rows of partitions while a group with another number of partitions is being created', async () => {
    await using first = open('first', { thresholdMsMax: 1500 });
    await eventually(
      'the first member has created the rows',
      async () => (await names('billing')).length >= 3,
    );
    await using second = open('second', { partitions: 256, thresholdMsMax: 1500 });
    await expect(second.ready()).rejects.toMatchObject({ code: 'partitions-differ' });
    await first.ready();
    expect((await names('billing')).filter((name) => name.startsWith('partition#')).sort()).toEqual(
      ['partition#0', 'partition#1'],
    );
  });
});

describe('a table that may be a replica of a global table of version 2017.11.29', () => {
  it('is refused where it is one: each of its regions would elect a leader', async () => {
    table.replicate([table.region, 'eu-central-1']);
    await using one = open('one');
    await expect(one.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining(
        `it is a global table (${table.region}, eu-central-1), each region can elect its own leader`,
      ),
    });
    expect(await names('billing')).toEqual([]);
  });

  it('is used where it is none, and where all members use one region of it, which asks for no right', async () => {
    table.replicate([]);
    await using one = open('one');
    await one.ready();
    table.replicate([table.region, 'eu-central-1']);
    using _denied = table.service.inject(
      { kind: 'error', code: 'AccessDeniedException' },
      { operations: ['DescribeGlobalTable'] },
    );
    await using two = open('two', { homeRegion: table.region });
    await two.ready();
  });

  it('is refused to a member with another home region, which would elect in its own replica', async () => {
    await using one = open('one', { homeRegion: table.region });
    await one.ready();
    // The items as they are replicated to the other region.
    const dynamodb = { ...table.config('two'), region: 'eu-central-1' };
    await using two = open('two', { region: 'eu-central-1', homeRegion: 'eu-central-1', dynamodb });
    await expect(two.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining(
        `runs with homeRegion "${table.region}", but this member is configured with "eu-central-1"`,
      ),
    });
    await using unnamed = open('unnamed');
    await unnamed.ready();
  });

  it('is refused where the process may not ask, with all that helps', async () => {
    table.replicate([]);
    using _denied = table.service.inject(
      { kind: 'error', code: 'AccessDeniedException' },
      { operations: ['DescribeGlobalTable'] },
    );
    await using one = open('one');
    await expect(one.ready()).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(
        /"Action":"dynamodb:DescribeGlobalTable","Resource":"arn:aws:dynamodb::\*:global-table\/leases-.*homeRegion/,
      ),
    });
  });
});

describe('a member that the table refuses', () => {
  it.each(['DescribeTable', 'Query'])(
    'writes nothing, not even its presence: %s',
    async (operation) => {
      using _denied = table.service.inject(
        { kind: 'error', code: 'AccessDeniedException' },
        { operations: [operation] },
      );
      await using one = open('one');
      await expect(one.ready()).rejects.toMatchObject({ code: 'unauthorized' });
      await one.close();
      expect(
        [...table.service.counts('one').keys()].filter(
          (name) => name === 'PutItem' || name === 'DeleteItem',
        ),
      ).toEqual([]);
    },
  );

  it('is refused if the table rejects its parameters, and stops sending requests', async () => {
    using _invalid = table.service.inject(
      {
        kind: 'error',
        code: 'ValidationException',
        message: 'The provided key element does not match the schema',
      },
      { operations: ['Query'] },
    );
    await using one = open('one');
    await expect(one.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(
        /rejected the parameters of dynamodb:Query.*The service says: The provided key element/,
      ),
    });
    const asked = table.service.asked.length;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(table.service.asked.length).toBe(asked);
  });

  it('reports the HTTP status of a proxy’s response, and retries', async () => {
    const body =
      '<html><head><title>503 Service Unavailable</title></head><body>try later</body></html>';
    const page = table.service.inject({ kind: 'page', status: 503, body });
    await using one = open('one');
    const said = () =>
      one
        .health()
        .troubles.map(({ message }) => message)
        .join();
    await eventually('the response is reported', () =>
      said().includes('to dynamodb:DescribeTable was HTTP 503 and a body that is not JSON'),
    );
    expect(said()).not.toContain('SyntaxError');
    page[Symbol.dispose]();
    await one.ready();
  });
});

describe('a member whose request is answered too late', () => {
  it('is healthy again once it has read the pin that it wrote, because the answer no longer matters', async () => {
    const late = table.service.inject(
      { kind: 'delay-reply', ms: 600 },
      { operations: ['PutItem'] },
    );
    await using one = open('one', { partitions: 1 });
    await eventually('the timeout is reported', () =>
      one.health().troubles.some(({ message }) => message.includes('no answer within 150 ms')),
    );
    late[Symbol.dispose]();
    await one.ready();
    await eventually('the member leads', () => one.role(0).isLeading());
    await eventually('the member is healthy again', () => one.health().ok);
  });
});

describe('a timeout names its target', () => {
  it('the table', async () => {
    await using one = open('one', { ...beside('one'), thresholdMs: 300 });
    await one.ready();
    using _away = table.service.inject({ kind: 'swallow' }, { operations: ['Query'] });
    const named = `table "${table.name}": no answer within 75 ms`;
    await eventually('the timeout is reported', () =>
      one.health().troubles.some(({ message }) => message === named),
    );
  });

  it('the stream', async () => {
    await using one = open('one', beside('one'));
    await one.ready();
    using _away = stream.service.inject({ kind: 'swallow' }, { operations: ['GetRecords'] });
    const named = `stream "${stream.name}": no answer within 1000 ms`;
    await eventually('the timeout is reported', () =>
      one.health().warnings.some(({ message }) => message === named),
    );
  });
});

describe('a stream whose credentials never arrive', () => {
  const hangs = () => ({
    ...beside('one'),
    kinesis: { ...stream.config('one'), credentials: () => new Promise<never>(() => undefined) },
  });
  const named = () => `stream "${stream.name}": renewing the credentials takes longer than 1000 ms`;

  it('is a warning for an exclusive member, which leads without the stream', async () => {
    await using one = open('one', hangs());
    await one.ready();
    await eventually('the warning is reported', () =>
      one.health().warnings.some(({ message }) => message.includes(named())),
    );
    await eventually('the member leads', () => one.role(0).isLeading());
  });

  it('is a problem for a continuous member, whose beats need the stream', async () => {
    await using one = open('one', {
      ...hangs(),
      guarantee: 'continuous',
      thresholdMs: 900,
      membersMax: 1,
    });
    await eventually('the problem is reported', () =>
      one.health().troubles.some(({ message }) => message.includes(named())),
    );
  });
});

describe('a client that the library creates', () => {
  it.each(['ProvisionedThroughputExceededException', 'InternalServerError'])(
    'sends a request once and does not retry it: %s',
    async (code) => {
      using _fails = table.service.inject({ kind: 'error', code });
      const { client, close } = dynamoDbOf(table.config('once'));
      await expect(tableOf(client, table.name).items('g', never)).rejects.toMatchObject({
        code: 'unreachable',
      });
      expect(table.service.counts('once').get('Query')).toBe(1);
      close();
      using _streamFails = stream.service.inject({ kind: 'error', code });
      const { client: streams, close: closeStreams } = kinesisOf(stream.config('once'));
      await expect(streamOf(streams, stream.name).openShards(never)).rejects.toMatchObject({
        code: 'unreachable',
      });
      expect(stream.service.counts('once').get('ListShards')).toBe(1);
      closeStreams();
    },
  );
});

describe('a stream beside the table', () => {
  it.each<['swallow' | 'cut', readonly string[]]>([
    ['swallow', ['ListShards']],
    ['swallow', ['GetRecords']],
    ['swallow', ['PutRecords']],
    ['cut', ['ListShards', 'GetShardIterator', 'GetRecords', 'PutRecords']],
  ])('that is unreachable does not delay a member: %s %s', async (kind, operations) => {
    await using first = open('first');
    await first.ready();
    using _away = stream.service.inject({ kind }, { operations });
    await using second = open('second', beside('second'));
    await second.ready();
    expect(second.health().ok).toBe(true);
  });

  it('whose first answer is lost is read from its next answer on', async () => {
    const away = stream.service.inject({ kind: 'swallow' }, { operations: ['GetShardIterator'] });
    await using one = openMember(table, 'one', { stream });
    await one.opened();
    away[Symbol.dispose]();
    await one.settled();
  });

  it('that throttles requests does not delay a member', async () => {
    const code = 'ProvisionedThroughputExceededException';
    using _busy = stream.service.inject(
      { kind: 'error', code },
      { operations: ['GetShardIterator', 'GetRecords'] },
    );
    await using one = openMember(table, 'one', { stream });
    await one.opened();
    expect(await one.write('one')).toBe(true);
  });

  it.each(['ListShards', 'GetShardIterator', 'GetRecords', 'PutRecords'])(
    'that denies access refuses the member with the message of the service: %s',
    async (action) => {
      const message =
        'User: arn:aws:iam::1:user/u is not authorized because no identity-based policy allows it';
      using _denied = stream.service.inject(
        { kind: 'error', code: 'AccessDeniedException', message },
        { operations: [action] },
      );
      await using one = openMember(table, 'one', { thresholdMs: 60_000, stream });
      await expect(one.failure).resolves.toMatchObject({
        code: 'unauthorized',
        message: expect.stringMatching(
          new RegExp(`kinesis:${action} is denied.*The service says: ${message}`),
        ),
      });
    },
  );

  it('whose shards cannot be counted rejects with the cause while its endpoint is unreachable', async () => {
    using _away = stream.service.inject({ kind: 'cut' });
    const { client, close } = dynamoDbOf(table.config('counter'));
    const [there, streams] = [tableOf(client, table.name), kinesisOf(stream.config('counter'))];
    const counting = {
      table: there,
      stream: streamOf(streams.client, stream.name),
      group: 'billing',
      create: false,
      signal: never,
    };
    await expect(countPartitions({ ...counting, triesMs: 300 })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(
        /cannot count the partitions of stream ".*kinesis:ListShards failed: .*socket hang up; set `partitions`/,
      ),
    });
    close();
    streams.close();
  });

  it('determines the partitions of a new group; the pin determines those of an existing group', async () => {
    const { partitions: _, ...common } = {
      group: 'billing',
      partitions: 0,
      thresholdMs: 300,
      table: table.name,
      dynamodb: table.config('one'),
    };
    await using one = await openKinesisLeadership({
      ...common,
      stream: stream.name,
      kinesis: stream.config('one'),
    });
    expect(one.partitions).toBe(1);
    await one.ready();
    const [shard] = await stream.stream.openShards(never);
    if (shard) await stream.split(shard);
    await using next = await openKinesisLeadership({
      ...common,
      stream: stream.name,
      kinesis: stream.config('two'),
    });
    expect(next.partitions).toBe(1);
  });
});

describe('a table with other key names', () => {
  it('is created and used with these names, and rejected with others', async () => {
    await table.drop();
    const named = { hashKey: 'pk', rangeKey: 'sk' };
    await using one = open('one', { ...named, create: true, thresholdMs: 300 });
    await one.ready();
    await eventually('the member leads', () => one.held().size === 2);
    const item = table.service.asked.find(({ operation }) => operation === 'PutItem')?.input[
      'Item'
    ];
    expect(Object.keys(item as object)).toEqual(expect.arrayContaining(['pk', 'sk', 'text']));
    await using other = open('other');
    await expect(other.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(
        /its key is pk \(HASH, S\), sk \(RANGE, S\).*hashKey and rangeKey/,
      ),
    });
    expect(await itemOf(table, 'billing', partitionName(0)).catch(() => undefined)).toBeUndefined();
  });
});
