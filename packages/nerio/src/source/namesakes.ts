// Detects two live processes under one member name: each displaces the other at every member that
// both reach.
import { LeadershipError } from '@leadership/core';
import { after, type Host } from '@leadership/core/adapter';
import type { HealthReporter } from '@leadership/core/internal';
import type { Sender } from '../protocol/message.ts';
import type { Namesake } from '../transport/transport.ts';

/** The parts of the detector. */
export interface NamesakesParts {
  /** The clock and the identity of this process. */
  readonly host: Pick<Host, 'clock' | 'member' | 'incarnation'>;
  readonly health: HealthReporter;
  /** T. Milliseconds. */
  readonly thresholdMs: number;
}

interface Lives {
  readonly latest: string;
  /** The displaced incarnations, latest last. */
  readonly displaced: readonly string[];
}

/** The limits on remembered displaced incarnations per member, and on remembered members. */
const livesMax = 8;
const membersMax = 64;
/** The trouble ends after this many T in which no displaced incarnation has returned. */
const forgottenAfter = 10;

/** Tracks the connected incarnations of each member. */
export class Namesakes {
  readonly #parts: NamesakesParts;
  readonly #lives = new Map<string, Lives>();
  readonly #alarms = new Map<string, Disposable>();
  /** The process that has displaced this one, and the report about it. */
  #rival: { readonly incarnation: string; readonly sentence: string } | undefined;

  constructor(parts: NamesakesParts) {
    this.#parts = parts;
  }

  /** A displaced incarnation returns only if both processes are alive. */
  met({ member, incarnation }: Sender): void {
    const lives = this.#lives.get(member);
    if (lives?.latest === incarnation) return;
    const displaced =
      lives === undefined
        ? []
        : [...lives.displaced.filter((one) => one !== incarnation), lives.latest];
    this.#lives.delete(member);
    this.#lives.set(member, { latest: incarnation, displaced: displaced.slice(-livesMax) });
    const [oldest] = this.#lives.keys();
    if (this.#lives.size > membersMax && oldest !== undefined) this.#lives.delete(oldest);
    if (lives?.displaced.includes(incarnation)) this.#report(member, incarnation, lives.latest);
  }

  /**
   * Another member reports a live process of this member's name that has replaced this one.
   * Whenever this process reconnects, the two change places. So the first report about a process is
   * kept, and its text stays the same while both are alive.
   */
  displaced({ member: at }: Sender, { incarnation, address }: Namesake): void {
    const { member, incarnation: own } = this.#parts.host;
    if (incarnation === own) return;
    if (this.#rival?.incarnation !== incarnation || !this.#alarms.has(member)) {
      const where = address === '' ? '' : ` at ${address}`;
      const sentence = `another live process takes part as member "${member}": incarnation ${incarnation}, which member "${at}" meets${where}. It and this process, incarnation ${own}, displace each other. Give each process a name of its own`;
      this.#rival = { incarnation, sentence };
    }
    this.#raise(member, this.#rival.sentence);
  }

  /** Cancels the timers, so that no trouble ends after the member has closed. */
  close(): void {
    for (const alarm of this.#alarms.values()) alarm[Symbol.dispose]();
  }

  #report(member: string, one: string, other: string): void {
    const [first, second] = [one, other].sort();
    const sentence = `two live processes take part as member "${member}" and displace each other: incarnations ${first} and ${second}. Give each process a name of its own`;
    this.#raise(member, sentence);
  }

  #raise(member: string, sentence: string): void {
    const { host, health, thresholdMs } = this.#parts;
    const { clock } = host;
    health.raise(`namesake ${member}`, new LeadershipError('displaced', sentence));
    this.#alarms.get(member)?.[Symbol.dispose]();
    const until = after(clock.now(), forgottenAfter * thresholdMs);
    this.#alarms.set(
      member,
      clock.wake(until, () => {
        this.#alarms.delete(member);
        health.mend(`namesake ${member}`);
      }),
    );
  }
}
