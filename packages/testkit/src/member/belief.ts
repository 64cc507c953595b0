// What a member believes of one partition, as its user would find out: by asking. The clock is read before each question, so that
// whoever leads when asked has led at that instant already; what is logged of a term's time is never more than the truth.
import type { Leadership, Role } from '@leadership/core';
import type { Journal } from './journal.ts';

/** A prolongation below this is rounding: every sample understates the deadline by what passed between two statements. Nanoseconds. */
const roundingNs = 1_000_000n;

interface OpenTerm {
  readonly token: bigint;
  untilNs: bigint;
  ledNs: bigint | undefined;
  /** It was seen not to lead, and nothing was said of it yet. */
  lapsed: boolean;
}

/** Follows one partition's beliefs into the journal. */
export class Belief {
  readonly #role: Role;
  readonly #write: Journal;
  #open: OpenTerm | undefined;

  constructor(role: Role, write: Journal) {
    this.#role = role;
    this.#write = write;
  }

  /** The token of the term that is under way, as far as was said. */
  get token(): bigint | undefined {
    return this.#open?.token;
  }

  /** Asks. */
  look(): void {
    const atNs = process.hrtime.bigint();
    const isLeading = this.#role.isLeading();
    if (isLeading) this.#leads(atNs, this.#role.term()?.token ?? this.#open?.token);
    else if (this.#open) this.#open.lapsed = true;
  }

  /** Takes what the role says of itself. */
  heard(leadership: Leadership): void {
    if (leadership.state === 'leading') this.#begins(leadership.term.token);
    else if (leadership.state === 'revoking') this.#revoked(leadership.term.token);
    else if (leadership.state === 'fenced') this.#ends('fenced', leadership.reason);
    else this.#ends('released');
  }

  #begins(token: bigint): void {
    this.look();
    if (this.#open?.token === token) return;
    // Over before it could be seen: a term all the same.
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
    this.#write({ kind, partition: this.#role.partition, token, ...(ledNs !== undefined && { ledNs }), ...(detail && { detail }) });
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

  #note(kind: 'acquired' | 'prolonged' | 'revoked', token: bigint, atNs?: bigint, untilNs?: bigint): void {
    const seen = { ...(atNs !== undefined && { atNs }), ...(untilNs !== undefined && { untilNs }) };
    this.#write({ kind, partition: this.#role.partition, token, ...seen });
  }
}
