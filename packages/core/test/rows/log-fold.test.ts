import { describe, expect, it } from 'vitest';
import { copyTexts, resetText } from '../../src/rows/log-entries.ts';
import { LogFold } from '../../src/rows/log-fold.ts';
import { MemoryLog } from '../../src/rows/memory-log.ts';
import type { Exchanged, RowChange } from '../../src/rows/rows.ts';

const set = (name: string, expected: string | null, text: string | null): RowChange => ({
  name,
  expected,
  text,
});

/** A reader of a log that sends one request at a time. */
class Reader {
  readonly fold: LogFold;
  readonly #log: MemoryLog;
  readonly #answers = new Map<string, Exchanged | undefined>();
  position: unknown;
  readonly #name: string;
  #requests = 0;

  constructor(log: MemoryLog, name = 'reader', copyEvery = 8) {
    this.#name = name;
    this.#log = log;
    this.fold = new LogFold({ copyEvery });
    this.read();
  }

  /** Reads what the log has, and returns the answer to the last request, if there is one. */
  read(): Exchanged | undefined {
    this.fetch();
    this.position = this.fold.reading(
      'read',
      { changes: [], since: this.position },
      0,
    )[0]?.answer?.position;
    return this.answer;
  }

  /** Reads to the end, however many fetches that takes. */
  fetch(): void {
    for (let fetches = 0; fetches < 10; fetches += 1)
      for (const { id, answer } of this.fold.take(this.#log.fetch(this.fold.from)))
        this.#answers.set(id, answer);
  }

  /** Sends changes that rest on what this reader has read. Returns the entry. */
  send(...changes: readonly RowChange[]): string {
    this.#requests += 1;
    const id = `${this.#name}, ${this.#requests}`;
    const text = this.fold.entry(id, { changes, since: this.position });
    if (text === undefined) throw new Error('the position was lost');
    return text;
  }

  get answer(): Exchanged | undefined {
    return this.#answers.get(`${this.#name}, ${this.#requests}`);
  }

  /** Sends changes and reads them back. */
  exchange(...changes: readonly RowChange[]): Exchanged | undefined {
    this.#log.append(this.send(...changes));
    return this.read();
  }

  get rows(): Record<string, string> {
    return Object.fromEntries(this.fold.rows);
  }
}

/** A log whose epoch its readers know: the first entry of an empty log never counts. */
function begun(): MemoryLog {
  const log = new MemoryLog();
  log.append(undefined);
  return log;
}

/** Appends entries of no effect, until a copy is due. */
function fill(log: MemoryLog, count: number): void {
  for (let index = 0; index < count; index += 1) log.append('{');
}

describe('a log as rows', () => {
  it('makes the changes of an entry in order, each on its own condition', () => {
    const reader = new Reader(begun());
    const answer = reader.exchange(set('a', null, '1'), set('a', null, '2'), set('a', '1', '3'));
    expect(answer?.outcomes).toEqual([true, false, true]);
    expect(answer?.rows).toEqual([['a', '3']]);
  });

  it('answers with the rows right after the own entry, though more has been read', () => {
    const log = begun();
    const [reader, other] = [new Reader(log), new Reader(log, 'other')];
    log.append(reader.send(set('a', null, '1')));
    log.append(other.send(set('a', '1', '2')));
    expect(reader.read()?.rows).toEqual([['a', '1']]);
    expect(reader.rows).toEqual({ a: '2' });
  });

  it('lets all readers decide alike about two entries with one condition', () => {
    const log = begun();
    const [reader, other] = [new Reader(log), new Reader(log, 'other')];
    const texts = [other.send(set('a', null, 'other')), reader.send(set('a', null, 'own'))];
    for (const text of texts) log.append(text);
    expect(reader.read()?.outcomes).toEqual([false]);
    expect(other.read()?.outcomes).toEqual([true]);
    expect(reader.rows).toEqual(other.rows);
  });

  it('does not take an entry of another sender with the same id for its own', () => {
    const log = begun();
    const reader = new Reader(log);
    const text = reader.send(set('a', null, '1'));
    log.append(text.replace('"a"', '"b"'));
    reader.fetch();
    expect(reader.answer).toBeUndefined();
    log.append(text);
    reader.fetch();
    expect(reader.answer?.outcomes).toEqual([true]);
  });

  it('makes no change twice of an entry that was appended twice', () => {
    const log = begun();
    const reader = new Reader(log);
    const text = reader.send(set('a', null, '1'));
    log.append(text);
    reader.read();
    reader.exchange(set('a', '1', '2'));
    log.append(text);
    reader.read();
    expect(reader.rows).toEqual({ a: '2' });
  });

  it('ignores what it cannot read', () => {
    const log = begun();
    const reader = new Reader(log);
    const hostile = [
      undefined,
      '',
      '7',
      '{"kind":"batch","id":"x","epoch":0,"changes":[["a"]]}',
      '{"kind":"batch","id":"x","epoch":"0","changes":[["a",null,"1"]]}',
      '{"kind":"copy","id":"x","epoch":0,"upTo":1,"part":1,"parts":1,"rows":[]}',
      '{"kind":"copy","id":"x","epoch":0,"upTo":99,"part":0,"parts":1,"rows":[["a","1"]]}',
      '{"kind":"reset","epoch":0,"upTo":1.5}',
      '{"kind":"later","epoch":0}',
    ];
    for (const text of hostile) log.append(text);
    expect(reader.exchange(set('b', null, '1'))?.outcomes).toEqual([true]);
    expect(reader.rows).toEqual({ b: '1' });
  });

  it('has no answer for a reader that has not read the log to its end', () => {
    const log = begun();
    const fold = new LogFold();
    const request = { changes: [], since: undefined };
    expect(fold.reading('first', request, 1)).toEqual([]);
    expect(fold.take(log.fetch(undefined))).toMatchObject([{ id: 'first' }]);
  });
});

describe('a change of the leader', () => {
  it('is another history, in which what was sent before has no effect', () => {
    const log = begun();
    const [reader, other] = [new Reader(log), new Reader(log, 'other')];
    reader.exchange(set('a', null, '1'));
    other.read();
    const late = other.send(set('a', '1', '2'));
    log.changeLeader();
    log.append(late);
    expect(other.read()).toMatchObject({
      outcomes: [false],
      isRestarted: true,
      rows: [['a', '1']],
    });
    reader.read();
    expect(reader.rows).toEqual({ a: '1' });
  });

  it('is doubted also by a reader that has not read the lost records', () => {
    const log = begun();
    const [reader, other] = [new Reader(log), new Reader(log, 'other')];
    const { position } = other;
    reader.exchange(set('a', null, '1'));
    log.changeLeader(1);
    log.append(undefined);
    other.fetch();
    const [settled] = other.fold.reading('x', { changes: [], since: position }, 0);
    expect(settled?.answer).toMatchObject({ isRestarted: true, rows: [] });
  });

  it('takes the lost records from a reader, also where others are in their place', () => {
    const log = begun();
    const [reader, other] = [new Reader(log), new Reader(log, 'other')];
    reader.exchange(set('a', null, '1'));
    log.changeLeader(1);
    log.append(undefined);
    log.append(undefined);
    reader.read();
    other.read();
    expect(reader.rows).toEqual({});
    expect(other.rows).toEqual({});
  });

  it('is noticed by a reader that is at the end again, because as many records have come as were lost', () => {
    const log = begun();
    const reader = new Reader(log);
    reader.exchange(set('a', null, '1'));
    log.changeLeader(1);
    log.append(reader.send(set('b', null, '1')));
    expect(reader.read()).toMatchObject({ outcomes: [false], isRestarted: true, rows: [] });
  });

  it('leaves the outcome of a request unknown if the log was cut before it was read', () => {
    const log = begun();
    const reader = new Reader(log);
    const text = reader.send(set('a', null, '1'));
    log.append(text);
    fill(log, 3);
    log.cut(3);
    const settled = reader.fold.take(log.fetch(reader.fold.from));
    expect(settled).toMatchObject([{ answer: undefined }]);
  });
});

describe('a log that was deleted and created again', () => {
  it('is noticed, though it has more records of the same epoch', () => {
    const log = begun();
    const reader = new Reader(log);
    reader.exchange(set('a', null, '1'));
    const { position } = reader;
    log.recreate();
    fill(log, 8);
    reader.fetch();
    const [settled] = reader.fold.reading('x', { changes: [], since: position }, 0);
    expect(settled?.answer).toMatchObject({ isRestarted: true, rows: [] });
  });
});

describe('a log from whose middle records were removed', () => {
  it('has lost its rows for a reader that begins before them, and is another history', () => {
    const log = begun();
    const writer = new Reader(log, 'writer');
    writer.exchange(set('a', null, '1'));
    fill(log, 3);
    log.compact(1, 3);
    const reader = new Reader(log);
    expect(reader.fold.isReady).toBe(false);
    expect(reader.fold.reset()).toBe(resetText(0, log.end));
  });

  it('shows nothing to a reader whose last record is among them, however few follow', () => {
    const log = begun();
    const reader = new Reader(log);
    reader.exchange(set('a', null, '1'));
    const { position } = reader;
    const last = log.end - 1;
    fill(log, 2);
    log.compact(last, last + 1);
    reader.fetch();
    const [settled] = reader.fold.reading('x', { changes: [], since: position }, 0);
    expect([settled, reader.rows]).toEqual([undefined, {}]);
  });
});

describe('an answer of the log', () => {
  it('that lacks the last record proves nothing', () => {
    const log = begun();
    const reader = new Reader(log);
    reader.exchange(set('a', null, '1'));
    const { from } = reader.fold;
    log.append(reader.send(set('b', null, '1')));
    expect(reader.fold.take({ from, start: 0, end: log.end, records: [] })).toEqual([]);
    expect(reader.read()?.outcomes).toEqual([true]);
  });
});

describe('the changes that others have made', () => {
  it('are returned once, without those that had no effect, and without the own ones', () => {
    const log = begun();
    const [reader, other] = [new Reader(log), new Reader(log, 'other')];
    reader.exchange(set('a', null, '1'));
    other.read();
    log.append(other.send(set('a', '1', '2'), set('b', 'none', '1')));
    reader.read();
    expect(reader.fold.takeChanged()).toMatchObject([set('a', '1', '2')]);
    expect(reader.fold.takeChanged()).toEqual([]);
  });

  it('are none of a history that was lost', () => {
    const log = begun();
    const [reader, other] = [new Reader(log), new Reader(log, 'other')];
    log.append(other.send(set('a', null, '1')));
    reader.fetch();
    log.changeLeader();
    log.append(undefined);
    reader.fetch();
    expect(reader.fold.takeChanged()).toEqual([]);
  });
});

describe('a copy', () => {
  /** Lets a reader append a copy, and returns its parts. */
  function copied(log: MemoryLog, reader: Reader, id: string): void {
    for (const text of reader.fold.copy(id)) log.append(text);
  }

  it('is due at the sender of an entry, after the given number of entries', () => {
    const log = begun();
    const [reader, other] = [new Reader(log), new Reader(log, 'other')];
    fill(log, 8);
    reader.exchange(set('a', null, '1'));
    other.read();
    expect(reader.fold.isCopyDue).toBe(true);
    expect(other.fold.isCopyDue).toBe(false);
  });

  it('gives its rows to a reader of a log that was cut, and what has changed since', () => {
    const log = begun();
    const reader = new Reader(log);
    reader.exchange(set('a', null, '1'), set('b', null, '1'));
    const parts = reader.fold.copy('copy');
    const below = log.end;
    reader.exchange(set('a', '1', '2'));
    for (const text of parts) log.append(text);
    reader.exchange(set('b', '1', null));
    log.cut(below);
    const late = new Reader(log);
    expect(late.fold.isReady).toBe(true);
    expect(late.rows).toEqual({ a: '2' });
    expect(late.rows).toEqual(reader.rows);
  });

  it('gives nothing to a reader that has missed entries since', () => {
    const log = begun();
    const reader = new Reader(log);
    reader.exchange(set('a', null, '1'));
    const parts = reader.fold.copy('copy');
    reader.exchange(set('a', '1', '2'));
    log.cut(log.end);
    for (const text of parts) log.append(text);
    expect(new Reader(log).fold.isReady).toBe(false);
  });

  it('is taken in parts that come between other entries, in any order, and twice', () => {
    const log = begun();
    const reader = new Reader(log);
    const long = 'x'.repeat(150_000);
    reader.exchange(set('a', null, long), set('b', null, long), set('c', null, long));
    const below = log.end;
    const [first, second, third, ...rest] = reader.fold.copy('copy');
    expect(rest).toEqual([]);
    log.append(third);
    log.append(third);
    log.append(reader.send(set('a', long, '2')));
    log.append(first);
    log.cut(below);
    const late = new Reader(log);
    expect(late.fold.isReady).toBe(false);
    log.append(second);
    late.read();
    reader.read();
    expect(late.fold.isReady).toBe(true);
    expect(late.rows).toEqual(reader.rows);
  });

  it('has no effect if another leader has appended a part of it', () => {
    const log = begun();
    const reader = new Reader(log);
    reader.exchange(set('a', null, '1'));
    const parts = reader.fold.copy('copy');
    log.cut(log.end);
    log.changeLeader();
    for (const text of parts) log.append(text);
    expect(new Reader(log).fold.isReady).toBe(false);
  });

  it('that differs replaces the rows of all readers, as another history', () => {
    const log = begun();
    const [reader, other] = [new Reader(log), new Reader(log, 'other')];
    reader.exchange(set('a', null, '1'), set('b', null, '1'));
    const { position } = reader;
    const upTo = log.end;
    log.append(other.send(set('b', '1', '2')));
    for (const text of copyTexts('wrong', 0, upTo, [['b', '1']], 1e5)) log.append(text);
    reader.fetch();
    other.fetch();
    log.cut(upTo);
    const late = new Reader(log);
    expect(reader.rows).toEqual({ b: '2' });
    expect(other.rows).toEqual(reader.rows);
    expect(late.rows).toEqual(reader.rows);
    const [settled] = reader.fold.reading('x', { changes: [], since: position }, 0);
    expect(settled?.answer).toMatchObject({ isRestarted: true });
  });

  it('that does not differ changes nothing', () => {
    const log = begun();
    const reader = new Reader(log);
    reader.exchange(set('a', null, '1'));
    copied(log, reader, 'copy');
    const { position } = reader;
    reader.fetch();
    const [settled] = reader.fold.reading('x', { changes: [], since: position }, 0);
    expect(settled?.answer).toMatchObject({ isWhole: false, rows: [] });
  });

  it('is ignored by all readers if it comes late', () => {
    const log = begun();
    const reader = new Reader(log);
    const upTo = log.end;
    fill(log, 9);
    for (const text of copyTexts('late', 0, upTo, [['a', '1']], 1e5)) log.append(text);
    log.cut(upTo);
    reader.read();
    expect(reader.rows).toEqual({});
    expect(new Reader(log).fold.isReady).toBe(false);
  });

  it('is ignored by all readers if a later one came before it', () => {
    const log = begun();
    const reader = new Reader(log);
    const upTo = log.end;
    reader.exchange(set('a', null, '1'));
    copied(log, reader, 'later');
    for (const text of copyTexts('earlier', 0, upTo, [['a', '2']], 1e5)) log.append(text);
    reader.read();
    expect(reader.rows).toEqual({ a: '1' });
    log.cut(upTo + 1);
    expect(new Reader(log).rows).toEqual({ a: '1' });
  });

  it('lets its author cut the log below the copy before it', () => {
    const log = begun();
    const reader = new Reader(log);
    copied(log, reader, 'first');
    reader.read();
    expect(reader.fold.cutBelow).toBeUndefined();
    fill(log, 3);
    reader.read();
    copied(log, reader, 'second');
    reader.read();
    expect(reader.fold.cutBelow).toBe(1);
  });
});

describe('a log without a copy of its rows', () => {
  it('has no rows once a reader of the whole log has said so', () => {
    const log = begun();
    fill(log, 2);
    log.cut(1);
    const reader = new Reader(log);
    expect(reader.fold.isReady).toBe(false);
    log.append(reader.fold.reset());
    reader.read();
    expect(reader.fold.isReady).toBe(true);
    expect(reader.rows).toEqual({});
  });

  it('is not reset by an entry that others have come before', () => {
    const log = begun();
    const reader = new Reader(log);
    reader.exchange(set('a', null, '1'));
    const text = resetText(0, log.end);
    log.append(undefined);
    log.append(text);
    reader.read();
    expect(reader.rows).toEqual({ a: '1' });
  });
});
