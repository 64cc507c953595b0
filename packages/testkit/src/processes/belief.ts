// Logs in a member process whether it leads one partition, by polling the public API. The clock is
// read before each call, so the logged period of a term is never longer than the real one.
import type { Leadership, Role } from '@leadership/core';
import type { Journal } from './journal.ts';

/** Smaller extensions of the deadline are rounding errors of the two clock reads. Nanoseconds. */
const roundingNs = 1_000_000n;

interface OpenTerm {
  readonly token: bigint;
  untilNs: bigint;
  ledNs: bigint | undefined;
  /** Whether the member was observed not to lead before the end of the term was logged. */
  lapsed: boolean;
}

/** Logs the leadership of one partition to the journal. */
export class Belief {
  readonly #role: Role;
  readonly #write: Journal;
  #open: OpenTerm | undefined;

  constructor(role: Role, write: Journal) {
    this.#role = role;
    this.#write = write;
  }

  /** The token of the current term, as last logged. */
  get token(): bigint | undefined {
    return this.#open?.token;
  }

  /** Polls the role. */
  look(): void {
    const atNs = process.hrtime.bigint();
    const isLeading = this.#role.isLeading();
    if (isLeading) this.#leads(atNs, this.#role.term()?.token ?? this.#open?.token);
    else if (this.#open) this.#open.lapsed = true;
  }

  /** Handles a value of `leadership$`. */
  received(leadership: Leadership): void {
    if (leadership.state === 'leading') this.#begins(leadership.term.token);
    else if (leadership.state === 'revoking') this.#revoked(leadership.term.token);
    else if (leadership.state === 'fenced') this.#ends('fenced', leadership.reason);
    else this.#ends('released');
  }

  #begins(token: bigint): void {
    this.look();
    if (this.#open?.token === token) return;
    // The term ended before the first poll, but it must still be logged.
    this.#open = { token, untilNs: 0n, ledNs: undefined, lapsed: true };
    this.#note('acquired', token);
  }

  #revoked(token: bigint): void {
    this.look();
    this.#note('revoked', token);
  }

  #ends(kind: 'released' | 'fenced', detail?: string): void {
    if (this.#open === undefined) return;
    const { token, ledNs } = this.#open;
    this.#open = undefined;
    this.#write({
      kind,
      partition: this.#role.partition,
      token,
      ...(ledNs !== undefined && { ledNs }),
      ...(detail && { detail }),
    });
  }

  #leads(atNs: bigint, token: bigint | undefined): void {
    if (token === undefined) return;
    const untilNs = atNs + BigInt(Math.floor(this.#role.remainingMs() * 1000)) * 1000n;
    const open = this.#open;
    if (open?.token !== token || open.lapsed) {
      this.#open = { token, untilNs, ledNs: atNs, lapsed: false };
      this.#note('acquired', token, atNs, untilNs);
      return;
    }
    open.ledNs = atNs;
    if (untilNs < open.untilNs + roundingNs) return;
    open.untilNs = untilNs;
    this.#note('prolonged', token, atNs, untilNs);
  }

  #note(
    kind: 'acquired' | 'prolonged' | 'revoked',
    token: bigint,
    atNs?: bigint,
    untilNs?: bigint,
  ): void {
    const seen = { ...(atNs !== undefined && { atNs }), ...(untilNs !== undefined && { untilNs }) };
    this.#write({ kind, partition: this.#role.partition, token, ...seen });
  }
}
