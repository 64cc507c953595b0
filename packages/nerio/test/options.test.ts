import { LeadershipError, openLeadership } from '@leadership/core';
import { describe, expect, test } from 'vitest';
import { backend, type NerioOptions, nerioLeadership, tcpTransport } from '../src/index.ts';

const [a, b, c] = ['a.example:7400', 'b.example:7400', 'c.example:7400'];
/** Two names of one address. */
const [local, other] = ['127.0.0.1:7400', 'localhost:7400'];
const right: NerioOptions = {
  group: 'g',
  member: a,
  members: [a, b, c],
  transport: tcpTransport({ insecure: true }),
};

/** The error for these options; `undefined` if they are accepted. */
function refusal(given: object): { readonly code: string; readonly message: string } | undefined {
  try {
    void nerioLeadership({ ...right, ...given }).close();
    return undefined;
  } catch (error) {
    if (!(error instanceof LeadershipError)) throw error;
    return { code: error.code, message: error.message };
  }
}

function broken(): never {
  throw new Error('no radio');
}

describe('options that cannot hold together are refused before anything starts', () => {
  test.each<readonly [string, object, string]>([
    [
      'two quorums without a common voter',
      { quorums: { kind: 'sets', sets: [[a], [b, c]] } },
      `members cannot elect: the quorums {${a}} and {${b}, ${c}} share no voter: two leaders could be elected`,
    ],
    [
      'weights of which each half is a quorum',
      {
        members: [a, b, c, 'd.example:7400'],
        quorums: { kind: 'weights', weights: { [a]: 1 }, need: 2 },
      },
      'members cannot elect: two quorums of weight 2 need not share a voter: need must exceed half of the total weight 4',
    ],
    [
      'two members with one address',
      { member: local, members: [local, other], transport: tcpTransport() },
      `transport: members "${local}" and "${other}" have the same address: use one name for each member, and a port of its own`,
    ],
    [
      'a need above the total weight',
      { quorums: { kind: 'weights', weights: { [a]: 2 }, need: 5 } },
      'members cannot elect: a quorum needs weight 5, but all voters together weigh 4',
    ],
    [
      'a negative weight',
      { quorums: { kind: 'weights', weights: { [a]: -1 } } },
      'members cannot elect: a weight of -1 must be a whole number of at least 0',
    ],
    [
      'a quorum of others',
      { quorums: { kind: 'sets', sets: [['x']] } },
      'members cannot elect: quorums name "x", which is not a voter',
    ],
    [
      'one voter in two places of a grid',
      {
        quorums: {
          kind: 'grid',
          rows: [
            [a, b],
            [a, c],
          ],
        },
      },
      `members cannot elect: the grid names "${a}" twice`,
    ],
    [
      'a lease shorter than two round trips',
      { thresholdMs: 1000, roundTripMs: 500 },
      'thresholdMs 1000 must exceed 2 × roundTripMs 500: a lease is renewed while it runs',
    ],
    [
      'a lease shorter than two round trips and the skew',
      { thresholdMs: 1000, roundTripMs: 300, skewMs: 400 },
      'thresholdMs 1000 must exceed 2 × roundTripMs 300 + skewMs 400: a lease is renewed while it runs',
    ],
    [
      'more partitions than were tested',
      { partitions: 257 },
      'partitions 257 is more than the 256 that the Nerio backend supports; map several roles onto one partition instead',
    ],
    ['clocks of any rate', { driftRate: 1 }, 'driftRate 1 must be at least 0 and less than 0.5'],
    ['one name twice', { members: [a, b, a] }, `members cannot elect: "${a}" is a member twice`],
    [
      'a member outside the list of members',
      { member: 'x.example:7400' },
      `member "x.example:7400" is none of members: ${a}, ${b}, ${c}; one that is to become a member joins: true`,
    ],
    [
      'a member of the first epoch that joins',
      { joins: true },
      `member "${a}" joins, but is one of members already: ${a}, ${b}, ${c}`,
    ],
    [
      'no voter',
      { members: [{ member: a, votes: false }] },
      'members cannot elect: none of the 1 members votes',
    ],
    [
      'no candidate',
      { members: [{ member: a, stands: false }] },
      'members cannot elect: none of the 1 members is a candidate',
    ],
    [
      'a crowd',
      { members: Array.from({ length: 32 }, (_, i) => `m${i}:1`), member: 'm0:1' },
      'members cannot elect: an epoch has 1 to 31 members, not 32',
    ],
    [
      'stored state without a directory',
      { restart: 'state' },
      'restart "state" needs a stateDirectory to keep the state in',
    ],
    [
      'lost state without a directory',
      { stateLost: true },
      'stateLost applies only to a stateDirectory; set stateDirectory, or remove stateLost',
    ],
  ])('%s', (_what, given, message) => {
    expect(refusal(given)).toEqual({ code: 'invalid-options', message });
  });
});

describe('options of the wrong type are refused, as a program without types may pass them', () => {
  test.each<readonly [string, object, RegExp]>([
    [
      'no members',
      { members: undefined },
      /^members must be a list of names, as in \["a\.example:7400"/,
    ],
    ['members that are no list', { members: a }, /^members must be a list of names/],
    [
      'a member without a name',
      { members: [a, ''] },
      /^members must be named: "" is not a name of 1 to 200 characters$/,
    ],
    ['a member that is a number', { members: [a, 5] }, /^members must be named: 5 is not a name/],
    [
      'a vote in words',
      { members: [{ member: a, votes: 'no' }] },
      /^votes and stands of "a\.example:7400" must be true or false$/,
    ],
    [
      'quorums that are a word',
      { quorums: 'majority' },
      /^quorums must be of a kind: \{ kind: 'majority' \| 'weights' \| 'grid' \| 'sets' \}$/,
    ],
    ['quorums that are nothing', { quorums: null }, /^quorums must be of a kind/],
    ['sets that are none', { quorums: { kind: 'sets' } }, /^sets must be lists of members$/],
    ['an empty row', { quorums: { kind: 'grid', rows: [[]] } }, /^rows must be lists of members$/],
    [
      'weights that are none',
      { quorums: { kind: 'weights' } },
      /^weights must be numbers by member/,
    ],
    [
      'more sets than a message holds',
      { quorums: { kind: 'sets', sets: Array.from({ length: 1025 }, () => [a, b]) } },
      /^there may be 1024 sets at most, not 1025$/,
    ],
    [
      'a set of more places than members',
      { quorums: { kind: 'sets', sets: [Array.from({ length: 32 }, () => a)] } },
      /^one of sets names 32 members; an epoch has 31 at most$/,
    ],
    [
      'more places than a message holds',
      {
        quorums: {
          kind: 'sets',
          sets: Array.from({ length: 600 }, () => Array.from({ length: 28 }, () => a)),
        },
      },
      /^sets may have 16384 members in all, not 16800$/,
    ],
    [
      'a need in words',
      { quorums: { kind: 'weights', weights: {}, need: 'all' } },
      /^need must be a number$/,
    ],
    [
      'a time of zero',
      { roundTripMs: 0 },
      /^roundTripMs 0 must be a number of milliseconds above 0$/,
    ],
    [
      'a time in words',
      { roundTripMs: '5' },
      /^roundTripMs "5" must be a number of milliseconds above 0$/,
    ],
    ['a negative skew', { skewMs: -1 }, /^skewMs -1 must be a number of milliseconds from 0 up$/],
    ['a third way to start', { restart: 'maybe' }, /^restart "maybe" must be one of mute, state$/],
    ['no path', { stateDirectory: '' }, /^stateDirectory must be a path$/],
    [
      'a loss in words',
      { stateLost: 'yes', stateDirectory: 'x' },
      /^stateLost "yes" must be true or false$/,
    ],
    [
      'a transport that opens nothing',
      { transport: 5 },
      /^transport 5 must be made by tcpTransport, or be a function that opens one$/,
    ],
    [
      'a transport whose check throws',
      { transport: Object.assign(() => broken(), { fault: broken }) },
      /^transport: fault\(\) threw: no radio$/,
    ],
    ['an option that is none', { quorum: 2 }, /^unknown option quorum; did you mean quorums\?/],
  ])('%s', (_what, given, message) => {
    expect(refusal(given)).toEqual({
      code: 'invalid-options',
      message: expect.stringMatching(message),
    });
  });
});

test('a transport that cannot be opened makes the member refuse, and the process continues', async () => {
  const source = nerioLeadership({ group: 'g', member: a, members: [a], transport: broken });
  const refused = { code: 'invalid-options', message: 'the transport cannot be opened: no radio' };
  await expect(source.ready()).rejects.toMatchObject(refused);
  expect(source.health().troubles).toMatchObject([refused]);
  await source.close();
});

describe('a URL', () => {
  const open = (url: string, options = {}) =>
    openLeadership(url, { load: () => Promise.resolve({ backend }), ...options });

  test('names the members, and the group in its path', async () => {
    const source = await open(
      `nerio://${a},${b},${c}/billing?member=${b}&thresholdMs=2000&roundTripMs=40&skewMs=5&insecure=true`,
    );
    expect(source).toMatchObject({ member: b, group: 'billing' });
    expect(source.guarantees).toMatchObject({
      exclusive: true,
      handover: 'drained',
      overlapMsMax: 0,
      failoverMsMax: 2015,
    });
    expect(source.guarantees.assumes).toContain('skew');
    await source.close();
  });

  test.each<readonly [string, string, string]>([
    [
      'no member',
      `nerio://${a},${b}/g`,
      `member is missing: say which of the hosts this process is, as in ?member=${a}`,
    ],
    [
      'no hosts',
      'nerio:billing?member=x',
      `a nerio: URL must name the members, as in nerio://${a},${b}/billing?member=${a}`,
    ],
    ['no group', `nerio://${a}/?member=${a}`, 'group "" must be a name of 1 to 200 characters'],
    [
      'two groups',
      `nerio://${a}/g?member=${a}&group=h`,
      'group is "g" in the URL\'s path, but "h" in its query',
    ],
    [
      'a host without a port',
      `nerio://b/g?member=b`,
      'transport: member "b" is not a HOST:PORT: set listen.port, and addresses at the other members',
    ],
    [
      'a parameter that is none',
      `nerio://${a}/g?member=${a}&rondTripMs=1`,
      'a nerio: URL has no parameter rondTripMs; did you mean roundTripMs?',
    ],
  ])('with %s is refused', async (_what, url, message) => {
    await expect(open(url)).rejects.toMatchObject({ code: 'invalid-options', message });
  });

  test('of members on other hosts is refused without keys or tls, unless it says insecure', async () => {
    const message = expect.stringMatching(
      /^transport: member ".*" would listen on all interfaces without authentication, so every host could vote/,
    );
    await expect(open(`nerio://${a},${b}/g?member=${a}`)).rejects.toMatchObject({
      code: 'invalid-options',
      message,
    });
    const transport = tcpTransport({ insecure: true });
    expect(refusal({ transport, insecure: true })?.message).toMatch(
      /^insecure applies only to the default transport/,
    );
  });

  test('leaves to the options what does not fit into it', async () => {
    const members = [{ member: a }, { member: b, votes: false }];
    const source = await open(`nerio://${a},${b}/g?member=${b}&insecure=true`, { members });
    expect(source.member).toBe(b);
    await source.close();
  });
});
