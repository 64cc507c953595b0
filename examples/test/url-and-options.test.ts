import { openLeadership, type SourceOptions } from '@leadership/core';
import type { BackendModule } from '@leadership/core/adapter';
import { backend as etcd } from '@leadership/etcd';
import { backend as file } from '@leadership/file';
import { backend as kafka } from '@leadership/kafka';
import { backend as kinesis } from '@leadership/kinesis';
import { backend as kubernetes } from '@leadership/kubernetes';
import { backend as mysql } from '@leadership/mysql';
import { backend as nats } from '@leadership/nats';
import { backend as nerio } from '@leadership/nerio';
import { backend as postgres } from '@leadership/postgres';
import { backend as redis } from '@leadership/redis';
import { backend as gossip } from '@leadership/scuttlebutt';
import { describe, expect, it } from 'vitest';

/** The scalar options of every backend. */
const common: BackendModule['parameters'] = {
  group: 'string',
  member: 'string',
  partitions: 'number',
  thresholdMs: 'number',
  thresholdMsMax: 'number',
  driftRate: 'number',
  drainTimeoutMs: 'number',
  campaign: 'boolean',
  guard: 'boolean',
};

/** A place that the URL of a backend names beside its query: the option, and another value of it. */
interface Place {
  readonly option: string;
  readonly other: unknown;
  /** How the error shows the value of the URL. Default: as the options of the URL contain it. */
  readonly named: string;
}

interface Row {
  readonly module: BackendModule | undefined;
  readonly url: string;
  readonly places: readonly Place[];
  /** Parameters that belong to the option `connection`. */
  readonly ofConnection?: Readonly<Record<string, string>>;
}

/** The places that the URLs of all databases name. */
const database: Pick<Row, 'places' | 'ofConnection'> = {
  ofConnection: { user: 'connection.user' },
  places: [
    { option: 'connection.host', other: 'two', named: 'one' },
    { option: 'connection.port', other: 2, named: '1' },
    { option: 'connection.database', other: 'two', named: 'one' },
  ],
};

const rows: Readonly<Record<string, Row>> = {
  memory: {
    module: undefined,
    url: 'memory:one',
    places: [{ option: 'group', other: 'two', named: 'one' }],
  },
  file: {
    module: file,
    url: 'file:/one',
    places: [{ option: 'directory', other: '/two', named: '/one' }],
  },
  kafka: {
    module: kafka,
    url: 'kafka://one:9092/one',
    places: [
      { option: 'group', other: 'two', named: 'one' },
      { option: 'kafka.brokers', other: ['two:9092'], named: 'one:9092' },
      { option: 'kafka.brokers', other: () => ['one:9092'], named: 'one:9092' },
    ],
  },
  kinesis: {
    module: kinesis,
    url: 'kinesis://eu-west-1/one',
    places: [
      { option: 'region', other: 'us-east-1', named: 'eu-west-1' },
      { option: 'stream', other: 'two', named: 'one' },
    ],
  },
  nerio: {
    module: nerio,
    url: 'nerio://one:1,two:1/one',
    places: [
      { option: 'group', other: 'two', named: 'one' },
      { option: 'members', other: ['one:1', 'three:1'], named: 'one:1,two:1' },
      { option: 'members', other: ['two:1', 'one:1'], named: 'one:1,two:1' },
      { option: 'members', other: [{ member: 'two:1' }], named: 'one:1,two:1' },
    ],
  },
  gossip: {
    module: gossip,
    url: 'gossip://one:1,two:1/one',
    places: [
      { option: 'group', other: 'two', named: 'one' },
      { option: 'voters', other: ['one:1', 'three:1'], named: 'one:1,two:1' },
    ],
  },
  etcd: {
    module: etcd,
    url: 'etcd://one:1,two:1/',
    places: [{ option: 'endpoints', other: ['one:1'], named: 'one:1,two:1' }],
  },
  kubernetes: {
    module: kubernetes,
    url: 'kubernetes:one',
    places: [{ option: 'namespace', other: 'two', named: 'one' }],
  },
  nats: {
    module: nats,
    url: 'nats://one:1,two:1/',
    places: [{ option: 'servers', other: ['one:1'], named: 'one:1,two:1' }],
  },
  mysql: { module: mysql, url: 'mysql://one:1/one', ...database },
  postgres: { module: postgres, url: 'postgres://one:1/one', ...database },
  redis: {
    module: redis,
    url: 'rediss://one:1/1',
    ofConnection: { username: 'connection.username' },
    places: [
      { option: 'connection.host', other: 'two', named: 'one' },
      { option: 'connection.port', other: 2, named: '1' },
      { option: 'connection.db', other: 2, named: '1' },
      { option: 'connection.tls', other: false, named: 'true' },
    ],
  },
};

/** Two values of each kind. */
const values = {
  string: ['first', 'second'],
  number: [1111, 2222],
  boolean: [true, false],
} as const;

/** Builds the options in which a path, such as `connection.host`, has this value. */
function optionsWith(path: string, value: unknown): object {
  const [name = '', ...rest] = path.split('.');
  return { [name]: rest.length === 0 ? value : optionsWith(rest.join('.'), value) };
}

async function refusal(row: Row, url: string, options: object): Promise<string> {
  const load = () => Promise.resolve({ backend: row.module });
  try {
    await using _ = await openLeadership(url, { load, ...options } as SourceOptions);
    return 'opened';
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid-options' });
    return (error as Error).message;
  }
}

it('is tested for every scheme that openLeadership knows', async () => {
  // The error lists them: sqlite does not look like one of them that is misspelt.
  const error: unknown = await openLeadership('sqlite:one').catch((refused: unknown) => refused);
  const [, schemes = ''] = /known schemes are ([^;]*);/.exec(String(error)) ?? [];
  expect(schemes.split(', ').sort()).toEqual(Object.keys(rows).sort());
});

describe.each(Object.entries(rows))('%s', (_name, row) => {
  it('names every place of the URL in one table', async () => {
    for (const { option, other, named } of row.places) {
      const message = await refusal(row, row.url, optionsWith(option, other));
      expect(message).toMatch(`${option} is `);
      expect(message).toContain(' in the URL, but ');
      const isPlain = typeof other !== 'function' && !JSON.stringify(other).includes('{');
      const shown = isPlain
        ? String(other)
        : typeof other === 'function'
          ? 'a function'
          : '"two:1"';
      for (const text of [named, shown]) expect(message).toContain(text);
    }
  });

  it('refuses every parameter of the URL that an option contradicts, and shows both values', async () => {
    const parameters = { ...common, ...row.module?.parameters };
    for (const [name, kind] of Object.entries(parameters)) {
      const [first, second] = values[kind];
      const isOfPath = row.places.some(({ option }) => option === name);
      const url = isOfPath ? row.url : `${row.url}?${name}=${first}`;
      const option = row.ofConnection?.[name] ?? name;
      const message = await refusal(row, url, optionsWith(option, second));
      expect(message).toContain(`${option} is `);
      expect(message).toContain(' in the URL, but ');
      if (!isOfPath) expect(message).toContain(String(first));
      expect(message).toContain(String(second));
    }
  });

  it('refuses an option that only the connection has beside it', async () => {
    for (const [name] of Object.entries(row.ofConnection ?? {}))
      expect(await refusal(row, `${row.url}?group=g`, { [name]: 'x' })).toContain(
        `unknown option ${name}`,
      );
  });
});
