import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyTexts, parseEntry, resetText } from '../../src/rows/log-entries.ts';
import { LogFold, type LogRecord } from '../../src/rows/log-fold.ts';
import { MemoryLog } from '../../src/rows/memory-log.ts';
import { RowStore } from '../../src/rows/row-store.ts';

/** Entries after which a copy comes late. */
const copyEvery = 12;
const names = ['a', 'b', 'c'];

/** An event of a log and its readers: a kind, a reader, and a number whose meaning depends on both. */
const honest = [
  'write',
  'write',
  'write',
  'read',
  'read',
  'begin',
  'copy',
  'cut',
  'leader',
] as const;
const hostile = [...honest, 'lost', 'wrong', 'cut-anywhere', 'reset', 'stale'] as const;

type Kind = (typeof hostile)[number];
type Event = readonly [kind: Kind, reader: number, size: number];

function events(kinds: readonly Kind[]): fc.Arbitrary<readonly Event[]> {
  const one = fc.tuple(fc.constantFrom(...kinds), fc.nat({ max: 3 }), fc.nat({ max: 30 }));
  return fc.array(one, { maxLength: 120, size: 'max' });
}

/** A log with four readers, and all records that it ever had. */
class World {
  readonly log = new MemoryLog();
  readonly readers = Array.from({ length: 4 }, () => new LogFold({ copyEvery }));
  readonly #inFlight: string[] = [];
  #count = 0;
  /** The records of the log, also those that were cut. */
  all: readonly LogRecord[] = [];

  append(text: string): void {
    this.log.append(text);
    this.all = [...this.all.slice(0, this.log.end - 1), ...this.log.records.slice(-1)];
  }

  run([kind, index, size]: Event): void {
    const { log, readers } = this;
    const fold = readers[index] ?? new LogFold({ copyEvery });
    this.#count += 1;
    const id = `${this.#count}`;
    if (kind === 'write') this.#write(fold, id, size);
    else if (kind === 'read') fold.take(log.fetch(fold.from, size));
    else if (kind === 'begin') readers[index] = new LogFold({ copyEvery });
    else if (kind === 'copy') this.#copy(fold, id, size);
    else if (kind === 'cut') log.cut(fold.cutBelow ?? 0);
    else if (kind === 'leader') log.changeLeader();
    else if (kind === 'lost') log.changeLeader(size);
    else if (kind === 'cut-anywhere') log.cut(log.start + size);
    else if (kind === 'wrong') this.#wrong(id, size);
    else if (kind === 'reset') this.append(fold.reset() ?? resetText(0, size));
    else for (const text of this.#inFlight.splice(0, size)) this.append(text);
  }

  /** Appends a change on a condition that may hold; or sends it, so that it arrives later. */
  #write(fold: LogFold, id: string, size: number): void {
    const name = names[size % names.length] ?? 'a';
    const expected = size % 5 === 0 ? null : (fold.rows.get(name) ?? null);
    const changes = [{ name, expected, text: size % 7 === 0 ? null : id }];
    const text = fold.entry(id, { changes, since: undefined });
    if (text !== undefined && size % 4 === 0) this.#inFlight.push(text);
    else if (text !== undefined) this.append(text);
  }

  /** Appends a copy whose author has read the end of the log: it does not come late. */
  #copy(fold: LogFold, id: string, size: number): void {
    fold.take(this.log.fetch(fold.from));
    for (const text of fold.copy(id)) this.append(text);
    fold.take(this.log.fetch(fold.from, size));
  }

  #wrong(id: string, size: number): void {
    const epoch = this.log.records.at(-1)?.epoch ?? 0;
    const upTo = Math.max(0, this.log.end - size);
    const texts = copyTexts(id, epoch, upTo, [[names[size % names.length] ?? 'a', id]], 9);
    for (const text of texts) this.append(text);
  }

  /**
   * Lets all readers read the log to its end, and returns those that know the rows. A reader at the end
   * notices that others have replaced what it read by the next record.
   */
  ready(): readonly LogFold[] {
    while (this.readers.some(({ from = 0 }) => from >= this.log.end)) this.append('{');
    for (const fold of this.readers)
      for (let fetches = 0; fetches < 9; fetches += 1) fold.take(this.log.fetch(fold.from));
    return this.readers.filter(({ isReady }) => isReady);
  }
}

/** The rows by the plainest reading: all entries that count, in order. */
function rowsOf(records: readonly LogRecord[]): ReadonlyMap<string, string> {
  const store = new RowStore();
  for (const { epoch, text } of records) {
    const entry = parseEntry(text);
    if (entry?.kind !== 'batch' || entry.epoch !== epoch) continue;
    store.exchange({ changes: entry.changes, since: undefined });
  }
  return store.rows;
}

const sorted = (rows: ReadonlyMap<string, string>): unknown => [...rows].sort();

test('readers that start anywhere know the rows of all entries in order', () => {
  fc.assert(
    fc.property(events(honest), (history) => {
      const world = new World();
      for (const event of history) world.run(event);
      const ready = world.ready();
      expect(ready.length).toBe(world.readers.length);
      for (const { rows } of ready) expect(sorted(rows)).toEqual(sorted(rowsOf(world.all)));
    }),
    { numRuns: 400 },
  );
});

test('readers that start anywhere agree, for all losses and all writers', () => {
  fc.assert(
    fc.property(events(hostile), (history) => {
      const world = new World();
      for (const event of history) {
        world.run(event);
        const [, , size] = event;
        const [first, ...others] = size % 3 === 0 ? world.ready() : [];
        for (const { rows } of others) expect(sorted(rows)).toEqual(sorted(first?.rows ?? rows));
      }
    }),
    { numRuns: 400 },
  );
});
