import { describe, expect, it } from 'vitest';
import {
  type LeaseObject,
  type Listing,
  type NewRow,
  objectName,
  objectOf,
  rowIn,
  selectorOf,
  wentBack,
} from '../src/lease.ts';

/** Requirements of the server for the name of an object, and of the value of a label. */
const subdomain = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelValue = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

const groups = ['billing', 'Billing', 'b', 'b.h', 'x'.repeat(200), '🙂', '../a', 'a b', '-a', 'g'];
const rows = [
  ...[
    'pin',
    'partition#0',
    'partition#00',
    'partition#1',
    'session#a/1',
    'session#a.1',
    'session#a-1',
  ],
  ...[
    'session#A/1',
    'session#a/1/1',
    'member#a',
    'member#a#b',
    'member',
    '',
    ' ',
    'kept#é',
    '#',
    'a/b',
  ],
  ...[`h-${'0'.repeat(40)}`, 'x'.repeat(500)],
];

describe('the name of an object', () => {
  it('is readable where the group and the row are, and one that the server accepts', () => {
    expect(objectName('billing', 'partition#3')).toBe('billing.partition.3');
    expect(objectName('billing', 'session#0f-a/1')).toBe('billing.session.0f-a.1');
    for (const group of groups) {
      for (const row of rows) expect(objectName(group, row)).toMatch(subdomain);
      expect(selectorOf(group).split('=')[1]).toMatch(labelValue);
    }
  });

  it('differs for each row of each group', () => {
    const names = groups.flatMap((group) => rows.map((row) => objectName(group, row)));
    expect(new Set(names).size).toBe(groups.length * rows.length);
    expect(new Set(groups.map(selectorOf)).size).toBe(groups.length);
  });
});

const written = (row: Partial<NewRow>): LeaseObject =>
  objectOf('g', {
    name: 'partition#0',
    text: '',
    notification: undefined,
    textOf: () => undefined,
    before: undefined,
    now: new Date('2026-11-29T08:00:00.5Z'),
    ...row,
  });

describe('an object', () => {
  it('is a row only under its own name, with its own label', () => {
    const object = written({ text: '1' });
    const { metadata } = object;
    expect(rowIn('g', object)).toMatchObject({ name: 'partition#0', text: '1' });
    expect(rowIn('h', object)).toBeUndefined();
    expect(rowIn('g', { metadata: { ...metadata, name: 'copy' } })).toBeUndefined();
    expect(rowIn('g', { metadata: { ...metadata, labels: {} } })).toBeUndefined();
    expect(rowIn('g', { metadata: { name: 'g.pin' } })).toBeUndefined();
    expect(rowIn('g', {})).toBeUndefined();
  });

  it('shows people who leads, since when, and how often that has changed', () => {
    const hold = (session: string): string => JSON.stringify({ kind: 'hold', session });
    const textOf = (name: string): string | undefined =>
      ({
        'session#a/1': '{"kind":"live","member":"pod-a","thresholdMs":1500}',
        'session#b/1': '{"kind":"live","member":"pod-b","thresholdMs":15000}',
      })[name];
    const first = written({ text: hold('a/1'), textOf });
    const time = '2026-11-29T08:00:00.500000Z';
    const since = { acquireTime: time, renewTime: time };
    const ofA = { holderIdentity: 'pod-a', leaseDurationSeconds: 2, ...since, leaseTransitions: 0 };
    expect(first.spec).toEqual(ofA);
    const now = new Date('2026-11-29T08:00:01Z');
    const renewTime = '2026-11-29T08:00:01.000000Z';
    expect(written({ text: hold('a/1'), textOf, before: first, now }).spec).toEqual({
      ...ofA,
      renewTime,
    });
    const second = written({ text: hold('b/1'), textOf, before: first, now });
    expect(second.spec).toEqual({
      ...{ holderIdentity: 'pod-b', leaseDurationSeconds: 15, leaseTransitions: 1 },
      ...{ acquireTime: renewTime, renewTime },
    });
    expect(written({ text: hold('c/1') }).spec).toMatchObject({ holderIdentity: 'c/1' });
  });

  it.each([
    ['partition#0', '{"kind":"none"}'],
    ['partition#0', 'not JSON'],
    ['partition#0', '{"session":7}'],
    ['session#a/1', '{"kind":"deposed","member":"a"}'],
    ['session#a/1', '{"kind":"live","member":""}'],
    ['pin', '{"member":"a"}'],
  ])('names no holder for %s %s', (name, text) => {
    expect(written({ name, text }).spec).toEqual({});
  });
});

describe('a listing after an earlier one', () => {
  const listingOf = (revision: number, versions: Readonly<Record<string, number>>): Listing => ({
    revision: BigInt(revision),
    rows: new Map(
      Object.entries(versions).map(([name, version]) => {
        const object: LeaseObject = { metadata: { resourceVersion: String(version) } };
        return [name, { name, text: String(version), object }];
      }),
    ),
  });
  const before = listingOf(9, { a: 3, b: 7 });

  it.each<[string, Listing, boolean]>([
    ['goes on if nothing has changed', before, false],
    ['goes on with newer versions', listingOf(12, { a: 3, b: 12, c: 10 }), false],
    ['goes on without a row that was removed', listingOf(12, { a: 3 }), false],
    ['is of a backup if its version is smaller', listingOf(8, { a: 3, b: 7 }), true],
    [
      'is of a backup with greater versions if a row is as it was before',
      listingOf(1000, { a: 3, b: 5 }),
      true,
    ],
    [
      'is of a backup with greater versions if a row is back that was removed',
      listingOf(1000, { a: 3, b: 7, c: 6 }),
      true,
    ],
  ])('%s', (_what, now, isOther) => {
    expect(wentBack(before, now)).toBe(isOther);
  });
});
