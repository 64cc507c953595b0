import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { LeadershipErrorCode } from '../../src/contract/leadership-error.ts';
import type { SourceOptions } from '../../src/contract/options.ts';
import { openLeadership } from '../../src/source/open-leadership.ts';

/** The arguments that a program without types may pass. */
type Anything = Readonly<Record<string, unknown>>;

const secrets =
  'secrets never go in the URL: pass user names and passwords in the options; an @ in a name is %40';

const refusal = (code: LeadershipErrorCode, message: string): unknown =>
  expect.objectContaining({ name: 'LeadershipError', code, message });

describe('invalid options', () => {
  const metadata = { words: 'w'.repeat(1024) };
  it.each<[Anything, string]>([
    [{ group: '' }, 'group "" must be a name of 1 to 200 characters'],
    [{ group: undefined }, 'group "" must be a name of 1 to 200 characters'],
    [{ group: 7 }, 'group 7 must be a name of 1 to 200 characters'],
    [
      { group: 'g'.repeat(201) },
      `group "${'g'.repeat(201)}" must be a name of 1 to 200 characters`,
    ],
    [{ member: '' }, 'member "" must be a name of 1 to 200 characters'],
    [
      { log: 'x://me:secret@host' },
      `log "x:***@host" must be false or a logger with the methods error, warn, info, such as console`,
    ],
    [{ member: {} }, 'member [object Object] must be a name of 1 to 200 characters'],
    [
      { member: Object.create(null) },
      'member [object Object] must be a name of 1 to 200 characters',
    ],
    [
      { campaign: 'false' },
      'campaign "false" must be true, false or an object such as { partitionsMax: 1 }',
    ],
    [
      { campaign: { partitionsMax: 0 } },
      'campaign.partitionsMax 0 must be a whole number from 1 up; to lead nothing, set campaign to false',
    ],
    [
      { campaign: { partitionsMax: '1' } },
      'campaign.partitionsMax "1" must be a whole number from 1 up; to lead nothing, set campaign to false',
    ],
    [
      { campaign: { partitionMax: 1 } },
      'unknown option campaign.partitionMax; the known one is partitionsMax',
    ],
    [
      { campaign: { partitionsMax: 1 } },
      'campaign.partitionsMax 1 is not supported by the chosen backend, whose members cannot limit what they lead: leave it out, or use a database, files, etcd, NATS, Kubernetes or memory',
    ],
    [{ partitions: 0 }, 'partitions 0 must be a whole number from 1 up'],
    [{ partitions: 1.5 }, 'partitions 1.5 must be a whole number from 1 up'],
    [{ partitions: '8' }, 'partitions "8" must be a whole number from 1 up'],
    [{ partitions: 65_537 }, 'partitions 65537 must be at most 65536'],
    [{ thresholdMs: Number.NaN }, 'thresholdMs NaN must be a number of milliseconds'],
    [{ thresholdMs: '3000' }, 'thresholdMs "3000" must be a number of milliseconds'],
    [
      { thresholdMs: 49 },
      'thresholdMs 49 must be at least 50: an event loop cannot renew a shorter lease in time',
    ],
    [
      { thresholdMsMax: Number.POSITIVE_INFINITY },
      'thresholdMsMax Infinity must be a number of milliseconds',
    ],
    [
      { thresholdMs: 3000, thresholdMsMax: 2000 },
      'thresholdMs 3000 must not exceed thresholdMsMax 2000',
    ],
    [{ thresholdMsMax: 86_400_001 }, 'thresholdMsMax 86400001 must not exceed a day, 86400000'],
    [{ driftRate: -0.1 }, 'driftRate -0.1 must be at least 0 and less than 0.5'],
    [{ driftRate: 0.5 }, 'driftRate 0.5 must be at least 0 and less than 0.5'],
    [{ driftRate: '0.1' }, 'driftRate "0.1" must be at least 0 and less than 0.5'],
    [{ drainTimeoutMs: -1 }, 'drainTimeoutMs -1 must be a number of milliseconds from 0 up'],
    [{ drainTimeoutMs: '5' }, 'drainTimeoutMs "5" must be a number of milliseconds from 0 up'],
    [
      { drainTimeoutMs: Number.NaN },
      'drainTimeoutMs NaN must be a number of milliseconds from 0 up',
    ],
    [{ metadata: { port: 80 } }, 'metadata must be an object whose values are strings'],
    [{ metadata: 'words' }, 'metadata must be an object whose values are strings'],
    [{ metadata: ['words'] }, 'metadata must be an object whose values are strings'],
    [{ metadata }, 'metadata is 1036 bytes as JSON; it must be at most 1024'],
    [{ signal: 'SIGTERM' }, 'signal "SIGTERM" must be an AbortSignal'],
    [
      { signals: ['SIGTERM', 'SIGKILL'] },
      'signals SIGTERM,SIGKILL must not contain SIGKILL: no process receives it; leave it out',
    ],
    [{ drainTimeoutms: 5 }, 'unknown option drainTimeoutms; did you mean drainTimeoutMs?'],
    [{ treshold: 5 }, 'unknown option treshold; did you mean thresholdMs?'],
    [
      { x: 5 },
      'unknown option x; known options are group, member, metadata, partitions, thresholdMs, thresholdMsMax, driftRate, drainTimeoutMs, campaign, guard, signals, log, load, signal',
    ],
  ])('%j are refused with an error that names them', (options, message) => {
    expect(() => resolveOptions({ group: 'g', ...options } as SourceOptions)).toThrow(
      refusal('invalid-options', message) as Error,
    );
  });

  it('name the options of the backend too, where they are none of the common ones', () => {
    const limits = { own: ['topic', 'sessionTimeoutMs'] };
    const unknown =
      (option: string): (() => unknown) =>
      () =>
        resolveOptions({ group: 'g', [option]: 5 } as SourceOptions, limits);
    expect(unknown('topics')).toThrow('unknown option topics; did you mean topic?');
    expect(unknown('x')).toThrow(
      'unknown option x; known options are topic, sessionTimeoutMs, group, member',
    );
  });

  it('are counted in bytes, not in characters', () => {
    const message = 'metadata is 1030 bytes as JSON; it must be at most 1024';
    expect(() => resolveOptions({ group: 'g', metadata: { w: 'ü'.repeat(511) } })).toThrow(
      refusal('invalid-options', message) as Error,
    );
    expect(resolveOptions({ group: 'g', metadata: { w: 'ü'.repeat(508) } }).metadata).toEqual({
      w: 'ü'.repeat(508),
    });
  });

  it('have the documented defaults', () => {
    const resolved = resolveOptions({ group: 'g' });
    const { member, ...rest } = resolved;
    expect(member).toContain(String(process.pid));
    expect(rest).toEqual({
      group: 'g',
      metadata: {},
      partitions: 1,
      thresholdMs: 3000,
      thresholdMsMax: 3000,
      driftRate: 0.001,
      drainTimeoutMs: 25_000,
      campaign: true,
      guard: true,
      signals: false,
    });
    expect(resolveOptions({ group: 'g', thresholdMs: 500 }).thresholdMsMax).toBe(500);
  });
});

describe('openLeadership', () => {
  it('accepts typed options', async () => {
    const options: SourceOptions = { thresholdMs: 500 };
    await using source = await openLeadership('memory:typed', options);
    expect(source.guarantees.failoverMsMax).toBeGreaterThanOrEqual(500);
  });

  const missing = (specifier: string): Promise<never> =>
    Promise.reject(
      Object.assign(new Error(`Cannot find package '${specifier}' imported from here`), {
        code: 'ERR_MODULE_NOT_FOUND',
      }),
    );
  const broken = (): Promise<never> => Promise.reject(new Error('syntax'));
  const other = { backend: { scheme: 'other', parameters: {}, open: () => undefined } };
  const common =
    'group, member, partitions, thresholdMs, thresholdMsMax, driftRate, drainTimeoutMs, campaign, partitionsMax, guard';

  it.each<[string, Anything, LeadershipErrorCode, string]>([
    [
      'billing',
      {},
      'unknown-backend',
      'no backend for a URL without a scheme; known schemes are memory, file, kafka, postgres, mysql, etcd, kubernetes, nats, redis, kinesis, nerio, gossip; registerBackend adds others: https://github.com/leadership-js/leadership/blob/main/docs/how-to/write-an-adapter.md',
    ],
    [
      '',
      {},
      'unknown-backend',
      'no backend for a URL without a scheme; known schemes are memory, file, kafka, postgres, mysql, etcd, kubernetes, nats, redis, kinesis, nerio, gossip; registerBackend adds others: https://github.com/leadership-js/leadership/blob/main/docs/how-to/write-an-adapter.md',
    ],
    ['memroy:billing', {}, 'unknown-backend', 'no backend for memroy:; did you mean memory:?'],
    [
      'mongodb://a/b',
      {},
      'unknown-backend',
      'no backend for mongodb:; known schemes are memory, file, kafka, postgres, mysql, etcd, kubernetes, nats, redis, kinesis, nerio, gossip; registerBackend adds others: https://github.com/leadership-js/leadership/blob/main/docs/how-to/write-an-adapter.md',
    ],
    [
      'constructor:x',
      {},
      'unknown-backend',
      'no backend for constructor:; known schemes are memory, file, kafka, postgres, mysql, etcd, kubernetes, nats, redis, kinesis, nerio, gossip; registerBackend adds others: https://github.com/leadership-js/leadership/blob/main/docs/how-to/write-an-adapter.md',
    ],
    [
      'kafka://a/g',
      { load: missing },
      'unknown-backend',
      '@leadership/kafka is not installed: npm install @leadership/kafka; in a bundle, import its backend and call registerBackend',
    ],
    [
      'kafka://a/g',
      { load: broken },
      'unknown-backend',
      '@leadership/kafka could not be loaded: Error: syntax',
    ],
    [
      'kafka://a/g',
      { load: async () => other },
      'unknown-backend',
      '@leadership/kafka has no backend for kafka: URLs; install a version that has one',
    ],
    [
      'kafka://a/g',
      { load: async () => null },
      'unknown-backend',
      '@leadership/kafka has no backend for kafka: URLs; install a version that has one',
    ],
    [
      'kafka://a/g',
      { load: 'kafka' },
      'invalid-options',
      'load must be a function that imports a package',
    ],
    [
      'memory:',
      {},
      'invalid-options',
      'a memory URL names its group and nothing else: memory:GROUP',
    ],
    [
      'memory://billing',
      {},
      'invalid-options',
      'a memory URL names its group and nothing else: memory:GROUP',
    ],
    [
      'memory:billing',
      { group: 'other' },
      'invalid-options',
      'group is "billing" in the URL, but "other" in the options',
    ],
    [
      'memory:billing?group=other',
      {},
      'invalid-options',
      'group is "billing" in the URL\'s path, but "other" in its query',
    ],
    [
      'memory:billing?tresholdMs=1',
      {},
      'invalid-options',
      'a memory: URL has no parameter tresholdMs; did you mean thresholdMs?',
    ],
    [
      'memory:billing?x=1',
      {},
      'invalid-options',
      `a memory: URL has no parameter x; known parameters are ${common}`,
    ],
    [
      'memory:billing?__proto__=1',
      {},
      'invalid-options',
      `a memory: URL has no parameter __proto__; known parameters are ${common}`,
    ],
    [
      'memory:billing?partitions=x',
      {},
      'invalid-options',
      'URL parameter partitions must be a number, not "x"',
    ],
    [
      'memory:billing?partitions=',
      {},
      'invalid-options',
      'URL parameter partitions must be a number, not ""',
    ],
    [
      'memory:billing?campaign=yes',
      {},
      'invalid-options',
      'URL parameter campaign must be true or false, not "yes"',
    ],
    [
      'memory:billing?partitions=1&partitions=1',
      {},
      'invalid-options',
      'URL parameter partitions is given twice',
    ],
    [
      'memory:billing?partitions=0',
      {},
      'invalid-options',
      'partitions 0 must be a whole number from 1 up',
    ],
    [
      'memory:billing?partitions=1',
      { partitions: 2 },
      'invalid-options',
      'partitions is 1 in the URL, but 2 in the options',
    ],
    ['memory:bill%ing', {}, 'invalid-options', '"bill%ing" is not valid in a URL: encode % as %25'],
    ['memory://me:secret@host/g', {}, 'invalid-options', secrets],
    // A password may contain what ends the hosts or the path.
    ['memory://me:s/ecret@host/g', {}, 'invalid-options', secrets],
    ['memory://me:%zz/ecret@host/g', {}, 'invalid-options', secrets],
    ['memory://me%3Asecret%40host/g', {}, 'invalid-options', secrets],
    ['memory://me:s?ecret@host/g', {}, 'invalid-options', secrets],
    ['memory://me:s?e=cret@host/g', {}, 'invalid-options', secrets],
    [
      'memory:me:secret@host/g?group=g',
      {},
      'invalid-options',
      'group is "me:***@host/g" in the URL\'s path, but "g" in its query',
    ],
    [
      'memory:g?member=m',
      { member: ['x://me:secret@host'] },
      'invalid-options',
      'member is "m" in the URL, but x:***@host in the options',
    ],
  ])('%s with %j is refused', async (url, options, code, message) => {
    await expect(openLeadership(url, options)).rejects.toEqual(refusal(code, message));
  });

  it('uses the value in the URL if the option is undefined', async () => {
    const options: Anything = { partitions: undefined };
    await using source = await openLeadership(
      'memory:undefined-options?partitions=3&member=me&campaign=false',
      options,
    );
    expect([source.partitions, source.member, source.group]).toEqual([
      3,
      'me',
      'undefined-options',
    ]);
  });

  it('accepts a URL object', async () => {
    await using source = await openLeadership(new URL('memory:url-object?partitions=3'));
    expect(source.partitions).toBe(3);
  });

  it('loads a backend’s package with the given function, and passes the address and the options to it', async () => {
    const opened: unknown[] = [];
    const open = (...args: unknown[]): unknown => opened.push(args);
    const load = async (specifier: string): Promise<unknown> => {
      opened.push(specifier);
      return { backend: { scheme: 'kafka', parameters: { topic: 'string' }, open } };
    };
    await openLeadership('kafka://a:1,b:2/g?topic=t', { load });
    const address = {
      scheme: 'kafka',
      hosts: ['a:1', 'b:2'],
      path: '/g',
      parameters: { topic: 't' },
    };
    expect(opened).toEqual(['@leadership/kafka', [address, { load }]]);
  });
});

describe('options that are no object', () => {
  it.each([
    [null, 'null'],
    [5, '5'],
    ['thresholdMs', '"thresholdMs"'],
    [[], '[…]'],
  ])('are refused: %j', async (options, shown) => {
    await expect(openLeadership('memory:billing', options as never)).rejects.toEqual(
      refusal(
        'invalid-options',
        `options ${shown} must be an object such as { thresholdMs: 3000 }, or be left out`,
      ),
    );
  });
});
