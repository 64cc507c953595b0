import { LeadershipError, openLeadership } from '@leadership/core';
import { freePorts } from '@leadership/testkit/faults';
import { describe, expect, test } from 'vitest';
import {
  backend,
  type ScuttlebuttOptions,
  scuttlebuttLeadership,
  udpTransport,
} from '../src/index.ts';

const [a, b, c] = ['127.0.0.1:7401', '127.0.0.1:7402', '127.0.0.1:7403'];
const right: ScuttlebuttOptions = { group: 'g', member: a, voters: [a, b, c] };

/** The error for these options; `undefined` if they are accepted. */
function refusal(given: object): { readonly code: string; readonly message: string } | undefined {
  try {
    void scuttlebuttLeadership({ ...right, ...given }).close();
    return undefined;
  } catch (error) {
    if (!(error instanceof LeadershipError)) throw error;
    return { code: error.code, message: error.message };
  }
}

describe('options that cannot hold together are refused before anything starts', () => {
  test.each<readonly [string, object, string]>([
    ['no voters', { voters: [] }, 'voters must name at least one member, as in ["a.example:7400"]'],
    [
      'too many voters',
      { voters: Array.from({ length: 32 }, (_, index) => `127.0.0.1:${7400 + index}`) },
      'voters are 32, and must be at most 31: other members take part without a vote',
    ],
    ['a voter twice', { voters: [a, a] }, `voters must be different names: ${a}, ${a}`],
    [
      'a T that is too short for the interval (S6)',
      { intervalMs: 250 },
      'thresholdMs 3000 must be at least 4072: with intervalMs 250 and fanout 3, votes need that long to cross a group of 100 members. Raise thresholdMs or fanout, or lower intervalMs or membersMax',
    ],
    [
      'a T that is too short for the fan-out (S6)',
      { intervalMs: 180, fanout: 1 },
      'thresholdMs 3000 must be at least 5864: with intervalMs 180 and fanout 1, votes need that long to cross a group of 100 members. Raise thresholdMs or fanout, or lower intervalMs or membersMax',
    ],
    ['no interval', { intervalMs: 0 }, 'intervalMs 0 must be a number of milliseconds above 0'],
    ['no members', { membersMax: 0 }, 'membersMax 0 must be a whole number from 1 up'],
    ['half a peer', { fanout: 0.5 }, 'fanout 0.5 must be a whole number from 1 up'],
    [
      'too many partitions',
      { partitions: 65 },
      'partitions 65 is more than the 64 that the Scuttlebutt backend supports; map several roles onto one partition instead',
    ],
    [
      'a member without an address',
      { member: 'a' },
      'transport: member "a" is not a HOST:PORT: set listen.port, and addresses at the other members',
    ],
    [
      'a voter on another host without keys',
      { voters: [a, '192.0.2.1:7400'] },
      'transport: member "192.0.2.1:7400" is at 192.0.2.1, and connections without authentication must stay on this host: set keys, or use 127.0.0.1, or set insecure: true',
    ],
    [
      'insecure beside a transport',
      { insecure: true, transport: udpTransport() },
      'insecure is said of the default transport: give it to udpTransport instead',
    ],
    [
      'a transport that is none',
      { transport: 'udp' },
      'transport must be made by udpTransport, or be a function that opens one',
    ],
    [
      'two voters with one address',
      { voters: [a, a.replace('127.0.0.1', 'localhost')] },
      `transport: members "${a}" and "${a.replace('127.0.0.1', 'localhost')}" have the same address: use one name for each member, and a port of its own`,
    ],
    [
      'a member with the address of a voter',
      { member: a.replace('127.0.0.1', 'localhost') },
      `transport: members "${a.replace('127.0.0.1', 'localhost')}" and "${a}" have the same address: use one name for each member, and a port of its own`,
    ],
    [
      'a text in place of a boolean',
      { insecure: 'false' },
      'insecure "false" must be true or false',
    ],
    [
      'a T that is far below the greatest one',
      { thresholdMs: 3000, thresholdMsMax: 15_001 },
      'thresholdMs 3000 must be at least 3000.2, a fifth of thresholdMsMax 15001: voters with that value renew their votes too rarely for a shorter one',
    ],
    ['a wrong name', { voter: [a] }, 'unknown option voter; did you mean voters?'],
  ])('%s', (_, given, sentence) => {
    expect(refusal(given)).toEqual({ code: 'invalid-options', message: sentence });
  });
});

test('a function that returns keys later is refused', () => {
  const keys = (): never => Promise.resolve({ sign: 'k', accept: { k: 'secret' } }) as never;
  expect(() => udpTransport({ keys })).toThrow(/^keys\(\) returned a promise/);
});

test('insecure: true, keys, and T below thresholdMsMax are accepted', async () => {
  const [port] = await freePorts(1);
  const far = { member: `127.0.0.1:${port}`, voters: ['192.0.2.1:7400'] };
  expect(refusal({ ...far, insecure: true })).toBeUndefined();
  const keys = { sign: 'k', accept: { k: 'a secret of this test' } };
  expect(refusal({ ...far, transport: udpTransport({ keys }) })).toBeUndefined();
  expect(refusal({ thresholdMsMax: 9000 })).toBeUndefined();
});

test('the time of a fail-over is computed from T, the interval and the drift', () => {
  const source = scuttlebuttLeadership({
    ...right,
    thresholdMs: 3000,
    thresholdMsMax: 4000,
    intervalMs: 100,
    driftRate: 0.01,
  });
  void source.close();
  expect(source.guarantees).toEqual({
    exclusive: true,
    tokens: 'ordered',
    handover: 'drained',
    assumes: ['drift', 'wall-clocks', 'no-suspend'],
    overlapMsMax: 0,
    failoverMsMax: Math.ceil((4 * 100 + 3 * 4000) / 0.99),
  });
});

describe('a URL', () => {
  const load = async (): Promise<unknown> => ({ backend });
  const open = (url: `gossip:${string}`, options: object = {}) =>
    openLeadership(url, { load, ...options });

  test('names the voters, the group and this member, which need not vote', async () => {
    const d = '127.0.0.1:7404';
    const source = await open(
      `gossip://${a},${b},${c}/billing?member=${d}&membersMax=20&intervalMs=50&fanout=2&insecure=true&partitions=2`,
      { seeds: [] },
    );
    void source.close();
    expect(source).toMatchObject({ group: 'billing', member: d, partitions: 2 });
  });

  test.each<readonly [`gossip:${string}`, object, string]>([
    [
      `gossip://${a},${b}/g`,
      {},
      `member is missing: say which of the hosts this process is, as in ?member=${a}`,
    ],
    [
      'gossip:g',
      { member: a },
      'a gossip: URL must name the voters, as in gossip://a.example:7400,b.example:7400,c.example:7400/billing?member=a.example:7400',
    ],
    [
      `gossip://${a}/g?member=${a}&group=h`,
      {},
      'group is "g" in the URL\'s path, but "h" in its query',
    ],
    [
      `gossip://${a}/g?member=${a}&fanOut=2`,
      {},
      'a gossip: URL has no parameter fanOut; did you mean fanout?',
    ],
    [
      `gossip://${a}/g?member=${a}&fanout=2`,
      { fanout: 3 },
      'fanout is 2 in the URL, but 3 in the options',
    ],
  ])('%s is refused if it is wrong', async (url, options, sentence) => {
    await expect(open(url, options)).rejects.toMatchObject({
      code: 'invalid-options',
      message: sentence,
    });
  });

  test('a wrong scheme names the nearest one', async () => {
    await expect(openLeadership('gosip:x')).rejects.toThrow(
      'no backend for gosip:; did you mean gossip:?',
    );
  });
});
