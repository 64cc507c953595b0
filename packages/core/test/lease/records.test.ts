import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fittingRoles, publicationFields } from '../../src/engine/presence.ts';
import {
  endText,
  incarnationOf,
  liveText,
  noneText,
  noteText,
  ownershipText,
  parseName,
  parseNote,
  parseOwnership,
  parsePin,
  parseSession,
  partitionName,
  pinText,
  sessionName,
} from '../../src/lease/records.ts';

const version = fc.integer({ min: 0, max: 2 ** 52 - 1 });
const token = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });

const presence = fc
  .record(
    {
      member: fc.string(),
      metadata: fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        fc.string(),
      ),
      since: fc.nat(8_640_000_000_000_000),
      trouble: fc.constantFrom('unreachable', 'a-code-of-a-later-release'),
      roles: fc.array(fc.string({ unit: 'binary' }), { maxLength: 64 }),
    },
    { requiredKeys: ['member', 'metadata'] },
  )
  .map(({ roles, ...rest }) => ({
    ...rest,
    ...publicationFields({ roles: fittingRoles(roles ?? []) }),
  }));

/** T, as records say it. */
const threshold = fc.double({ min: 1, max: 86_400_000, noNaN: true });
const limit = { partitionsMax: fc.integer({ min: 1, max: 65_536 }) };

describe('the records of a lease by session', () => {
  it('of a partition: what a member writes is what every member reads', () => {
    const record = fc.record({
      kind: fc.constantFrom('hold' as const, 'release' as const),
      life: fc.string(),
      version,
      session: fc.string(),
      seen: version,
      token,
    });
    fc.assert(
      fc.property(record, fc.nat(9999), fc.string(), (written, partition, id) => {
        expect(parseOwnership(ownershipText(partition, written, id))).toEqual(written);
      }),
    );
    const released = {
      kind: 'release',
      life: 'l',
      version: 3,
      session: undefined,
      seen: 0,
      token: 7n,
      from: 'a',
    } as const;
    expect(parseOwnership(ownershipText(1, released, 'x'))).toEqual(released);
    expect(parseOwnership(noneText(4, 'life'))).toEqual({ kind: 'none', life: 'life', version: 0 });
  });

  it('of a session: what a member writes is what every member reads', () => {
    const record = fc.record(
      {
        // The end of a session has the next version.
        version: fc.integer({ min: 0, max: 2 ** 52 - 2 }),
        thresholdMs: threshold,
        isStanding: fc.boolean(),
        wants: fc.array(fc.nat(9999), { maxLength: 64 }),
        presence,
        ...limit,
      },
      { requiredKeys: ['version', 'thresholdMs', 'isStanding', 'wants', 'presence'] },
    );
    fc.assert(
      fc.property(record, fc.string(), (written, id) => {
        const read = parseSession(liveText(written, id), 5000);
        expect(read).toEqual({ kind: 'live', isProved: false, ...written });
      }),
    );
  });

  it('of a note: what a member writes is what every member reads', () => {
    fc.assert(
      fc.property(
        fc.record(
          { thresholdMs: threshold, presence, ...limit },
          { requiredKeys: ['presence', 'thresholdMs'] },
        ),
        fc.string(),
        (written, id) => {
          expect(parseNote(noteText(written, id), 5000)).toEqual(written);
        },
      ),
    );
  });

  it.each([
    ['no JSON', '{', {}],
    ['too long', JSON.stringify({ member: 'x'.repeat(70_000) }), {}],
    [
      'fields of other types',
      '{"member":7,"metadata":7,"since":"now","trouble":{},"roles":{}}',
      {},
    ],
    ['a moment that no date has', '{"since":8640000000000001}', {}],
    ['a moment before 1970', '{"since":-1}', {}],
    ['a code without end', JSON.stringify({ trouble: 'x'.repeat(65) }), {}],
    ['roles without names', '{"roles":["",7,null,["a"],"b"]}', { roles: ['b'] }],
    ['a role without end', JSON.stringify({ roles: ['a', 'x'.repeat(1024)] }), { roles: ['a'] }],
    ['roles without end', JSON.stringify({ roles: Array.from({ length: 50_000 }, () => 'r') }), {}],
    [
      'more roles than a member publishes',
      JSON.stringify({ roles: Array.from({ length: 99 }, (_, index) => `r${index}`) }),
      { roles: Array.from({ length: 32 }, (_, index) => `r${index}`) },
    ],
  ])('of a presence lack what they say wrongly: %s', (_, text, expected) => {
    expect(parseNote(text, 5000).presence).toEqual({ member: '?', metadata: {}, ...expected });
    if (text.startsWith('{"'))
      expect(parseSession(text, 5000)).toMatchObject(parseNote(text, 5000));
  });

  it.each([
    ['1', 1],
    ['65536', 65_536],
    ['0', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e99', undefined],
    ['"1"', undefined],
    ['[1]', undefined],
    ['null', undefined],
  ])('say a limit, or none if it is wrong: %s (M13)', (text, limit) => {
    const note = `{"partitionsMax":${text}}`;
    expect(parseNote(note, 5000).partitionsMax).toBe(limit);
    expect(parseSession(note, 5000).partitionsMax).toBe(limit);
  });

  it('of the end of a session are the same for every writer', () => {
    const text = endText('deposed', 'a/1', 7);
    expect(text).toBe(endText('deposed', 'a/1', 7));
    expect(parseSession(text, 5000)).toMatchObject({
      kind: 'deposed',
      version: 7,
      isProved: false,
    });
    const kinds = fc.constantFrom('ended' as const, 'deposed' as const);
    fc.assert(
      fc.property(kinds, fc.string(), version, fc.boolean(), (kind, session, last, isProved) => {
        const read = parseSession(endText(kind, session, last, isProved), 5000);
        expect(read).toMatchObject({ kind, version: last, isProved });
      }),
    );
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '7'],
    ['no life', '{"kind":"hold","version":1,"session":"a/1","token":"1"}'],
    ['a hold without an owner', '{"kind":"hold","life":"l","version":1,"token":"1"}'],
    ['a version without room', `{"kind":"none","life":"l","version":${2 ** 52}}`],
    [
      'a token beyond 64 bits',
      '{"kind":"hold","life":"l","version":1,"session":"a/1","token":"9223372036854775808"}',
    ],
    ['too long', JSON.stringify({ kind: 'none', life: 'x'.repeat(70_000), version: 0 })],
  ])('that cannot be read say nothing of an owner: %s', (_, text) => {
    expect(parseOwnership(text)).toEqual({
      kind: 'none',
      life: '',
      version: 0,
      isUnreadable: true,
    });
  });

  it('of an unknown kind belong to the session that they name, and an unknown session lives', () => {
    const text = '{"kind":"lend","life":"l","version":1,"session":"a/1","seen":2,"token":"5"}';
    expect(parseOwnership(text)).toMatchObject({ kind: 'hold', session: 'a/1', token: 5n });
    expect(parseSession('{"kind":"sleeps"}', 5000)).toMatchObject({
      kind: 'live',
      thresholdMs: 5000,
    });
  });

  it('written by hand are told by their sum: an owner counts later, and an end is none (M4, M5)', () => {
    const record = {
      kind: 'hold',
      life: 'l',
      version: 3,
      session: 'a/1',
      seen: 0,
      token: 7n,
    } as const;
    const text = ownershipText(1, record, 'a.1');
    expect(text).toMatch(/"id":"a\.1","sum":"[0-9a-f]{1,8}"\}$/);
    const edits = [
      text.replace('a/1', 'b/1'),
      text.replace(/,"sum".*"/, ''),
      text.replace('"}', ' "}'),
    ];
    for (const edited of edits) expect(parseOwnership(edited)).toMatchObject({ isByHand: true });
    const end = endText('deposed', 'a/1', 7);
    for (const edited of [end.replace('7', '8'), '{"kind":"ended","session":"a/1","version":7}'])
      expect(parseSession(edited, 5000)).toMatchObject({ kind: 'live', thresholdMs: 5000 });
  });

  it('have names that are read back', () => {
    expect(parseName(partitionName(12))).toEqual({ kind: 'partition', partition: 12 });
    expect(parseName(sessionName('a#b/3'))).toEqual({ kind: 'session', id: 'a#b/3' });
    expect(parseName('partition#x')).toEqual({ kind: 'unknown' });
    expect(incarnationOf('a/b/3')).toBe('a/b');
  });

  it('of the pin are read back, and a pin without sessions is none (R3)', () => {
    const pinned = fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      fc.string(),
    );
    const ms = fc.double({ min: 1, max: 86_400_000, noNaN: true });
    fc.assert(
      fc.property(
        fc.nat(65_536),
        ms,
        pinned,
        fc.string(),
        (partitions, thresholdMsMax, words, id) => {
          const written = { partitions, thresholdMsMax, pinned: words };
          const read = parsePin(pinText(partitions, thresholdMsMax, words, id));
          expect(read).toEqual({ hasSessions: true, ...written });
        },
      ),
    );
    const pin = { hasSessions: true, partitions: 4, thresholdMsMax: 3000, pinned: {} };
    expect(parsePin(pinText(4, 3000, undefined, 'x'))).toEqual(pin);
    const other = parsePin('{"partitions":4,"thresholdMsMax":3000}');
    expect(other).toEqual({ ...pin, hasSessions: false });
  });
});
