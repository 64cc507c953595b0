// A member writes nothing that members cannot read, also over rows that a stranger has written.
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { parseOwnership, parsePin, parseSession } from '../../src/lease/records.ts';
import type { RowChange } from '../../src/rows/rows.ts';
import { Group } from './group.ts';

const bounds = [0, 1, 2 ** 52 - 3, 2 ** 52 - 2, 2 ** 52 - 1, 2 ** 52, 2 ** 53, -1, 0.5];
const version = fc.oneof(fc.constantFrom(...bounds), fc.nat());
const token = fc.constantFrom('0', '1', `${2n ** 61n}`, `${2n ** 63n - 1n}`, `${2n ** 63n}`);
const lengths = [0, 1, 4096, 4097, 30_000, 65_000, 70_000];
const id = fc.constantFrom(...lengths).map((length) => '"'.repeat(length));
const session = fc.oneof(
  fc.constantFrom('a/1', 'c/1'),
  id.map((name) => `${name}/1`),
);

/** The fields of a row of a partition, any of which may be missing. */
const ownership = fc.record(
  {
    kind: fc.constantFrom('none', 'hold', 'release', 'lend'),
    life: fc.oneof(fc.constant('l'), id),
    version,
    session,
    seen: version,
    token,
    from: fc.oneof(fc.constant('a'), id),
  },
  { requiredKeys: ['kind'] },
);

/** The fields of a row of a session. */
const living = fc.record(
  {
    kind: fc.constantFrom('live', 'sleeps', 'ended', 'deposed'),
    version,
    thresholdMs: fc.constantFrom(1, 1000),
    member: id,
    isStanding: fc.boolean(),
    wants: fc.constantFrom([], [0], [0.5, 2 ** 52]),
  },
  { requiredKeys: ['kind'] },
);

/** Returns whether members read all fields of a text as they were written. */
function isRead({ name, text }: RowChange): boolean {
  if (text === null || name.startsWith('member#')) return true;
  const {
    id: _id,
    sum: _sum,
    partition: _partition,
    session: _session,
    ...fields
  } = JSON.parse(text);
  if (name === 'pin') return parsePin(text).partitions === fields.partitions;
  if (!name.startsWith('partition#')) return parseSession(text, 1000).version === fields.version;
  const read = parseOwnership(text);
  const told = read.kind === 'none' ? read : { ...read, token: String(read.token) };
  const { session: _owner, ...rest } = { session: undefined, ...told };
  return (
    JSON.stringify(Object.entries(rest).sort()) === JSON.stringify(Object.entries(fields).sort())
  );
}

it('writes only what every member reads, over any row of a partition and of its owner', () => {
  fc.assert(
    fc.property(ownership, fc.option(living), session, (row, owner, name) => {
      const group = new Group();
      const exchange = vi.spyOn(group.store, 'exchange');
      group.start('a');
      group.pass(3000);
      group.change('is written by a stranger', (store) => {
        if (owner !== null) store.put(`session#${row.session ?? name}`, JSON.stringify(owner));
        store.put('partition#0', JSON.stringify(row));
      });
      group.start('b');
      group.pass(20_000);
      const changes = exchange.mock.calls.flatMap(([request]) => request.changes);
      expect(changes.filter((change) => !isRead(change))).toEqual([]);
      const leaders = ['a', 'b'].filter((member) => group.state(member).led.size > 0);
      expect(leaders).toHaveLength(1);
    }),
  );
});
