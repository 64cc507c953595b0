import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registerRowName } from '../../../src/adapter/rows/names.ts';
import type { RowChange, RowOutcome } from '../../../src/adapter/rows/rows.ts';
import { jsonFields } from '../../../src/engine/envelope.ts';
import { parseRecord } from '../../../src/ledger/envelope.ts';
import type { RowsFaults } from '../../support/memory-rows.ts';
import {
  kindsOf,
  type TableGroup,
  type TableMember,
  tableGroup,
} from '../../support/table-member.ts';

const row = registerRowName(0);
const lifeIn = (text: string | undefined): unknown => jsonFields(text ?? '')?.['life'];
/** A client that sends a change again, because it believes that the first attempt was lost. */
const resending = (more: object = {}): RowsFaults => ({
  replace(change, send) {
    if (change.name === row) send();
    return { ...send(), ...more };
  },
});

describe('a write to a register in rows', () => {
  it('takes effect over a genesis and over the record that it names, in the same life', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    const life = lifeIn(group.store.texts.get(row));
    expect(life).toEqual(expect.any(String));
    expect(await one.write()).toBe('in-effect');
    expect(await one.write({ kind: 'release' })).toBe('in-effect');
    const text = group.store.texts.get(row) ?? '';
    expect(parseRecord(text)).toEqual(one.current());
    expect(lifeIn(text)).toBe(life);
  });

  it('is refused without a request if it names another record than the one reported (L1)', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    await one.write();
    const sent = one.rows.sent.length;
    expect(await one.write({ after: 'stranger/1' })).toBe('refused');
    expect(one.rows.sent.length).toBe(sent);
  });

  it('is refused over a record that was renewed meanwhile, and the losing member reads at once', async () => {
    const group = tableGroup();
    const [one, other] = [await group.join('one'), await group.join('other')];
    await one.write();
    await group.read();
    await one.write();
    const reads = other.rows.reads.length;
    expect(await other.write()).toBe('refused');
    await group.clock.pass(0);
    expect(other.rows.reads.length).toBe(reads + 1);
    expect(other.current()?.id).toBe(one.current()?.id);
  });

  it.each([true, false])(
    'rejects, and is not refused, if the store keeps the expected text (answers: %s)',
    async (answers) => {
      const group = tableGroup();
      const kept: RowsFaults = {
        replace(change, send) {
          if (change.name !== row || change.expected === null) return send();
          return { isDone: false, ...(answers && { found: change.expected }) };
        },
      };
      const one = await group.join('one', {}, kept);
      await expect(one.write()).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('although it holds the expected text'),
      });
    },
  );

  it('is announced to waiting members only if it releases the lease', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    await one.write();
    await one.write();
    await one.write({ kind: 'release' });
    expect(
      one.rows.sent.filter(({ name }) => name === row).map(({ isAwaited }) => isAwaited),
    ).toEqual([false, false, false, true]);
  });

  it('rejects before the register was read', async () => {
    const group = tableGroup();
    const never = new Promise<void>(() => undefined);
    const one = await group.join('one', {}, { open: () => never });
    await expect(one.write()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('rows in memory'),
    });
  });

  it('whose reply is lost rejects, and is read back as the member’s own', async () => {
    const group = tableGroup();
    let isLossy = false;
    const lossy: RowsFaults = {
      replace(_change, send) {
        const outcome = send();
        if (isLossy) throw new Error('the reply was lost');
        return outcome;
      },
    };
    const one = await group.join('one', {}, lossy);
    isLossy = true;
    await expect(one.write()).rejects.toThrow('the reply was lost');
    isLossy = false;
    // Another attempt over the same record cannot take effect as well (L4).
    expect(await one.write({ after: null, height: 0 })).toBe('refused');
    await group.read();
    expect(one.current()).toMatchObject({ id: 'one/1', height: 0 });
    expect(kindsOf(one)).toEqual(['end', 'record']);
    expect(await one.write()).toBe('in-effect');
  });

  it('that the client repeats does not lose to its own first attempt', async () => {
    const group = tableGroup();
    const one = await group.join('one', {}, resending());
    expect(await one.write()).toBe('in-effect');
    expect(await one.write()).toBe('in-effect');
  });

  it('that the client repeats is read back if the store does not say what it found', async () => {
    const group = tableGroup();
    const silent: RowsFaults = {
      replace(change, send) {
        if (change.name === row) send();
        return { isDone: send().isDone };
      },
    };
    const one = await group.join('one', {}, silent);
    const reads = one.rows.reads.length;
    expect(await one.write()).toBe('in-effect');
    expect(one.rows.reads.length).toBe(reads + 1);
  });

  it('is refused over an empty register that was claimed and deleted since, also after it was created again', async () => {
    const group = tableGroup();
    const [one, sleeper] = [await group.join('one'), await group.join('sleeper')];
    await one.write();
    group.store.texts.clear();
    expect(await sleeper.write()).toBe('refused');
    await group.join('third');
    expect(await one.write()).toBe('refused');
    await group.read();
    expect(kindsOf(sleeper)).toEqual(['end', 'restarted', 'end']);
    expect(await sleeper.write()).toBe('in-effect');
  });

  it('does not reach a new life before the engine has received `restarted`', async () => {
    const group = tableGroup();
    const [one, other] = [await group.join('one', { registers: [] }), await group.join('other')];
    const events = one.ledger.events([0], new AbortController().signal)[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ kind: 'end' });
    await other.write();
    group.store.texts.clear();
    const next = events.next();
    await group.read();
    expect((await next).value).toMatchObject({ kind: 'restarted' });
    expect(await one.write()).toBe('refused');
    expect((await events.next()).value).toMatchObject({ kind: 'end' });
    expect(await one.write()).toBe('in-effect');
  });

  it('whose reply is late does not hide a life that the engine has received meanwhile', async () => {
    const group = tableGroup();
    let land: (() => void) | undefined;
    const late: RowsFaults = {
      replace(change, send) {
        const outcome = send();
        if (change.expected === null || land !== undefined) return outcome;
        return new Promise((resolve) => {
          land = () => resolve(outcome);
        });
      },
    };
    const one = await group.join('one', {}, late);
    const written = one.write();
    await group.clock.pass(0);
    group.store.texts.clear();
    await group.read();
    expect(kindsOf(one).slice(-2)).toEqual(['restarted', 'end']);
    land?.();
    expect(await written).toBe('in-effect');
    expect(await one.write({ after: null, height: 0 })).toBe('in-effect');
  });

  it('over a record that was recreated with the same height is refused (ABA)', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    await one.write();
    const text = group.store.texts.get(row) ?? '';
    group.store.texts.set(row, JSON.stringify({ ...jsonFields(text), life: 'by hand' }));
    expect(await one.write()).toBe('refused');
    await group.read();
    expect(kindsOf(one).slice(-3)).toEqual(['restarted', 'record', 'end']);
  });
});

/** How a request goes wrong. */
type Way = 'once' | 'lost-reply' | 'lost-request' | 'resent' | 'silent' | 'late';

type Deed =
  | { readonly kind: 'write'; readonly who: number; readonly way: Way }
  | { readonly kind: 'stale-read'; readonly who: number }
  | { readonly kind: 'read' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'spoil' };

const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        who: fc.nat(2),
        way: fc.constantFrom('once', 'lost-reply', 'lost-request', 'resent', 'silent', 'late'),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('read' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('stale-read' as const), who: fc.nat(2) }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom({ kind: 'delete' } as const, { kind: 'spoil' } as const),
    },
  ),
  { minLength: 1, maxLength: 40 },
);

/** A member whose requests go wrong on demand. */
interface Hampered {
  readonly member: TableMember;
  way: Way;
  isStale: boolean;
}

async function hampered(group: TableGroup, name: string, late: (() => void)[]): Promise<Hampered> {
  const faults: RowsFaults = {
    replace: (change, send) =>
      change.name === row && change.text?.includes('"id"') ? go(change, send) : send(),
    list(_reading, send) {
      const shown = state.isStale ? last : send();
      state.isStale = false;
      last = shown;
      return shown;
    },
  };
  const go = (_change: RowChange, send: () => RowOutcome): RowOutcome => {
    if (state.way === 'late') late.push(send);
    if (state.way === 'lost-reply' || state.way === 'resent' || state.way === 'silent') send();
    if (state.way === 'lost-reply' || state.way === 'lost-request' || state.way === 'late')
      throw new Error('no reply');
    return state.way === 'silent' ? { isDone: send().isDone } : send();
  };
  let last: ReadonlyMap<string, string> = new Map();
  const state = { way: 'once' as Way, isStale: false };
  const member = await group.join(name, {}, faults);
  return Object.assign(state, { member });
}

async function perform(
  group: TableGroup,
  members: readonly Hampered[],
  late: (() => void)[],
  deed: Deed,
): Promise<void> {
  if (deed.kind === 'delete') group.store.texts.delete(row);
  else if (deed.kind === 'spoil')
    group.store.texts.set(row, `garbage ${group.store.changes.length}`);
  else if (deed.kind === 'read') {
    for (const send of late.splice(0)) send();
    await group.read();
  } else {
    const one = members[deed.who % members.length];
    if (one === undefined) return;
    if (deed.kind === 'stale-read') one.isStale = true;
    else await write(group, one, deed.way);
  }
}

/** Writes, and checks the outcome against the row. */
async function write(group: TableGroup, one: Hampered, way: Way): Promise<void> {
  one.way = way;
  // A store whose reads are stale cannot say which of two repeated requests has won.
  const isBlind = one.isStale && way === 'silent';
  const id = `${one.member.incarnation}/${crypto.randomUUID()}`;
  const outcome = await one.member.write({ id }).catch(() => 'unknown');
  const isCurrent = parseRecord(group.store.texts.get(row) ?? '')?.id === id;
  if (outcome === 'in-effect') expect(isCurrent).toBe(true);
  if (outcome === 'refused' && !isBlind) expect(isCurrent).toBe(false);
}

it('over any history of lost, repeated and late requests, stale reads and deleted rows: no record replaces another one than it names, and no outcome is wrong', async () => {
  await fc.assert(
    fc.asyncProperty(deeds, async (history) => {
      const group = tableGroup();
      const late: (() => void)[] = [];
      const members = [
        await hampered(group, 'a', late),
        await hampered(group, 'b', late),
        await hampered(group, 'c', late),
      ];
      for (const deed of history) await perform(group, members, late, deed);
      await group.read();
      await group.read();
      for (const { name, before, text } of group.store.changes) {
        const record = name === row ? parseRecord(text ?? '') : undefined;
        if (record === undefined) continue;
        const replaced = parseRecord(before ?? '');
        const isGarbage = before?.startsWith('garbage') ?? false;
        if (isGarbage) expect(record.after).toMatch(/^unreadable\//);
        else
          expect([record.after, lifeIn(text ?? '')]).toEqual([
            replaced?.id ?? null,
            lifeIn(before ?? ''),
          ]);
      }
      const now = parseRecord(group.store.texts.get(row) ?? '');
      if (now !== undefined)
        for (const { member } of members) expect(member.current()?.id).toBe(now.id);
    }),
    { numRuns: 150 },
  );
});
