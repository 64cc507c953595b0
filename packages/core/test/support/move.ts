// A group that moves from one store to another, over memory groups and in fake time. It checks the
// leaders at every moment, while members join, leave and are disconnected.

import type { Combination } from '../../src/combine/combination.ts';
import { CombinedSource } from '../../src/combine/combined-source.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import type { Term } from '../../src/contract/term.ts';
import { Group } from '../../src/memory/memory-group.ts';
import { ingredient } from './combined-life.ts';
import { pass, passUntil } from './fake-time.ts';

/** T of every member. Milliseconds. */
export const thresholdMs = 1000;
/** The interval between two checks. Milliseconds. */
const periodMs = 20;

/** The stores of a member. The first one decides. */
export type Order = 'A' | 'AB' | 'BA' | 'B';

/** A member, and its name in the stores. */
export interface Mover {
  readonly name: string;
  readonly order: Order;
  readonly source: LeadershipSource;
}

export class Move {
  readonly #stores = { A: new Group('A'), B: new Group('B') };
  readonly #rules: Combination;
  readonly #partitions: number;
  readonly #movers: Mover[] = [];
  readonly #lastTerms = new Map<number, Term>();
  readonly #broken: string[] = [];

  constructor(rules: Combination, partitions: number) {
    this.#rules = rules;
    this.#partitions = partitions;
  }

  join(order: Order): Mover {
    const name = `${order}-${this.#movers.length}`;
    const options = {
      member: name,
      partitions: this.#partitions,
      thresholdMs,
      thresholdMsMax: thresholdMs,
    };
    const [first, ...later] = this.#storesOf(order).map((store) => ingredient(store.join(options)));
    if (first === undefined) throw new Error('every order has a first store');
    const source = new CombinedSource(first, later, this.#rules);
    for (let partition = 0; partition < this.#partitions; partition += 1) {
      source
        .role(partition)
        .leadership$.subscribe(
          (update) => update.state === 'leading' && this.#begins(name, update.term),
        );
    }
    const mover = { name, order, source };
    this.#movers.push(mover);
    return mover;
  }

  /** Disconnects the member from the given stores, by default from all. */
  cut({ name, order }: Mover, stores = order): void {
    for (const store of this.#storesOf(stores)) store.cut(name);
  }

  mend({ name }: Mover, stores: Order): void {
    for (const store of this.#storesOf(stores)) store.mend(name);
  }

  async leave({ source }: Mover): Promise<void> {
    await passUntil(source.close());
    this.#inspect();
  }

  async live(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += periodMs) {
      await pass(periodMs);
      this.#inspect();
    }
  }

  /** Waits until every partition has a leader, of the given order if any, for at most `ms`. */
  async untilLed(ms: number, order?: Order): Promise<void> {
    for (let passed = 0; this.#unled(order).length > 0; passed += periodMs) {
      if (passed > ms)
        throw new Error(
          `no member${order ? ` of ${order}` : ''} leads partitions ${this.#unled(order)} after ${ms} ms`,
        );
      await this.live(periodMs);
    }
  }

  /** Returns the leader of that partition. */
  leaderOf(partition: number): Mover | undefined {
    return this.#movers.find(({ source }) => source.role(partition).isLeading());
  }

  async end(): Promise<void> {
    await passUntil(
      Promise.all(this.#movers.map(({ source }) => source.close({ signal: AbortSignal.abort() }))),
    );
  }

  #storesOf(order: Order): Group[] {
    return [...order].map((name) => (name === 'A' ? this.#stores.A : this.#stores.B));
  }

  #unled(order?: Order): number[] {
    return [...Array(this.#partitions).keys()].filter((partition) => {
      const leader = this.leaderOf(partition);
      return leader === undefined || (order !== undefined && leader.order !== order);
    });
  }

  /**
   * Checks that there is at most one leader at any moment (L), and that later terms have greater
   * tokens (T1).
   */
  #inspect(): void {
    for (let partition = 0; partition < this.#partitions; partition += 1) {
      const names = this.#movers
        .filter(({ source }) => source.role(partition).isLeading())
        .map(({ name }) => name);
      if (names.length > 1) this.#broken.push(`${names} lead partition ${partition} at once`);
    }
    for (const sentence of this.#broken) throw new Error(sentence);
  }

  #begins(name: string, term: Term): void {
    const before = this.#lastTerms.get(term.partition);
    this.#lastTerms.set(term.partition, term);
    if (before && before.token >= term.token)
      this.#broken.push(
        `${name} leads with token ${term.token}, but an earlier token was ${before.token}`,
      );
  }
}
