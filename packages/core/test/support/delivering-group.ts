// Whole members of one group over rows in memory, whose notifications carry rows: late, repeated,
// old, or of a change that was never made. A judge asks all members at every moment who leads.
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { DeliveryRule } from '../../src/adapter/rows/delivered-rows.ts';
import type { RowChange, RowOutcome } from '../../src/adapter/rows/rows.ts';
import { tableLedgerUnder } from '../../src/adapter/rows/table-ledger.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { ledgerBackend } from '../../src/ledger/backend.ts';
import { parseRecord } from '../../src/ledger/envelope.ts';
import { holderOf } from '../../src/ledger/record.ts';
import { openSource } from '../../src/source/open-source.ts';
import { after } from '../../src/time/instant.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { type MemberRows, type MemoryRows, memoryRows } from './memory-rows.ts';

/** The observations of one run of a group. */
export interface DeliveringRun {
  /** The terms that began. */
  readonly terms: number;
  /** The terms that began by a record that the store never held. */
  readonly unfounded: number;
  /** The moments at which two members led one partition. */
  readonly doubleLeaders: number;
}

interface Member {
  readonly rows: MemberRows;
  readonly source: LeadershipSource;
}

const thresholdMs = 1000;
const partitions = 2;

/** Runs a group for some time, with faults that follow from the seed. */
export async function deliveringRun(
  seed: number,
  rule: DeliveryRule,
  seconds = 90,
): Promise<DeliveringRun> {
  const world = new World(seed, rule);
  for (let step = 0; step < seconds * 10; step += 1) await world.step(100);
  await world.close();
  return world;
}

class World implements DeliveringRun {
  terms = 0;
  unfounded = 0;
  doubleLeaders = 0;
  readonly #random: () => number;
  readonly #clock: ManualClock = manualClock();
  readonly #store: MemoryRows = memoryRows();
  readonly #rule: DeliveryRule;
  readonly #members: Member[];

  constructor(seed: number, rule: DeliveryRule) {
    this.#random = randomBy(seed);
    this.#rule = rule;
    this.#members = ['a', 'b', 'c'].map((member) => this.#open(member));
  }

  /** Lets some time pass, and sometimes makes a leader resign or repeats an old row. */
  async step(ms: number): Promise<void> {
    const { source, rows } = this.#pick(this.#members);
    const partition = Math.floor(this.#random() * partitions);
    if (this.#random() < 0.3 && source.role(partition).isLeading())
      void source
        .role(partition)
        .resign()
        .catch(() => undefined);
    if (this.#random() < 0.05 && this.#store.changes.length > 0) {
      const { name, text } = this.#pick(this.#store.changes);
      if (text !== null) rows.wake({ name, text });
    }
    await this.#clock.pass(ms);
    this.#judge();
  }

  async close(): Promise<void> {
    const closed = Promise.all(this.#members.map(({ source }) => source.close()));
    await this.#clock.pass(10 * thresholdMs);
    await closed;
  }

  #judge(): void {
    for (let partition = 0; partition < partitions; partition += 1) {
      const leaders = this.#members.filter(({ source }) => source.role(partition).isLeading());
      if (leaders.length > 1) this.doubleLeaders += 1;
    }
  }

  #open(member: string): Member {
    const rows = this.#store.member({
      replace: (change, send) => this.#replace(rows, change, send),
    });
    const options = {
      group: 'g',
      member,
      partitions,
      thresholdMs,
      driftRate: 0,
      log: false,
    } as const;
    const resolved = resolveOptions(options);
    const backend = ledgerBackend(resolved, (host) =>
      tableLedgerUnder(this.#rule, rows, resolved, host),
    );
    const source = openSource(backend, resolved, { clock: this.#clock, random: this.#random });
    for (let partition = 0; partition < partitions; partition += 1)
      source.role(partition).leadership$.subscribe((state) => {
        if (state.state !== 'leading') return;
        this.terms += 1;
        if (!this.#isFounded(member, state.term.token)) this.unfounded += 1;
      });
    return { rows, source };
  }

  /** Returns whether the store has held a record that makes this member the holder. */
  #isFounded(member: string, token: bigint): boolean {
    return this.#store.changes.some(({ text }) => {
      const record = parseRecord(text ?? '') ?? null;
      return record?.token === token && holderOf(record)?.member === member;
    });
  }

  /** Changes a row, and notifies the other members, of some changes although they are refused. */
  async #replace(from: MemberRows, change: RowChange, send: () => RowOutcome): Promise<RowOutcome> {
    await this.#pause(20);
    const { name, text, isAwaited } = change;
    const isRefused = text?.includes('"release"') === true && this.#random() < 0.5;
    if (isAwaited && text !== null)
      for (const { rows } of this.#members)
        if (rows !== from) void this.#deliver(rows, { name, text });
    if (isRefused) throw new Error('the server refused the change half-way');
    const outcome = send();
    await this.#pause(20);
    if (this.#random() < 0.05) throw new Error('the reply was lost');
    return outcome;
  }

  async #deliver(rows: MemberRows, row: { readonly name: string; readonly text: string }) {
    await this.#pause(this.#random() < 0.2 ? 2 * thresholdMs : 10);
    rows.wake(row);
    if (this.#random() < 0.1) rows.wake(row);
  }

  #pause(ms: number): Promise<void> {
    const at = after(this.#clock.now(), ms * this.#random());
    return new Promise((resolve) => void this.#clock.wake(at, resolve));
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }
}

/** Numbers in [0, 1) by Marsaglia's xorshift. */
function randomBy(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
