// Two live processes under one member name: each displaces the other, wherever it is met.
import { LeadershipError } from '@leadership/core';
import { after, type Clock, type Troubles } from '@leadership/core/backend';
import type { Sender } from '../protocol/message.ts';

/** What it asks, and whom it tells. */
export interface NamesakesParts {
  readonly clock: Clock;
  readonly troubles: Troubles;
  /** T. Milliseconds. */
  readonly thresholdMs: number;
}

interface Lives {
  readonly latest: string;
  /** Those that another one has displaced, the latest last. */
  readonly displaced: readonly string[];
}

/** So many displaced lives of a member are remembered, and so many members. */
const livesMax = 8;
const membersMax = 64;
/** The trouble ends after so many T in which no displaced life came back. */
const forgottenAfter = 10;

/** Follows which life of each member was met. */
export class Namesakes {
  readonly #parts: NamesakesParts;
  readonly #lives = new Map<string, Lives>();
  readonly #alarms = new Map<string, Disposable>();

  constructor(parts: NamesakesParts) {
    this.#parts = parts;
  }

  /** A life that another has displaced never comes back, unless both live. */
  met({ member, incarnation }: Sender): void {
    const lives = this.#lives.get(member);
    if (lives?.latest === incarnation) return;
    const displaced = lives === undefined ? [] : [...lives.displaced.filter((one) => one !== incarnation), lives.latest];
    this.#lives.delete(member);
    this.#lives.set(member, { latest: incarnation, displaced: displaced.slice(-livesMax) });
    const [oldest] = this.#lives.keys();
    if (this.#lives.size > membersMax && oldest !== undefined) this.#lives.delete(oldest);
    if (lives?.displaced.includes(incarnation)) this.#report(member, incarnation, lives.latest);
  }

  /** No trouble is withdrawn later than the member is closed. */
  close(): void {
    for (const alarm of this.#alarms.values()) alarm[Symbol.dispose]();
  }

  #report(member: string, one: string, other: string): void {
    const { clock, troubles, thresholdMs } = this.#parts;
    const [first, second] = [one, other].sort();
    const sentence = `two live processes take part as member "${member}" and displace each other: incarnations ${first} and ${second}. Give each process a name of its own`;
    troubles.raise(`namesake ${member}`, new LeadershipError('displaced', sentence));
    this.#alarms.get(member)?.[Symbol.dispose]();
    const until = after(clock.now(), forgottenAfter * thresholdMs);
    this.#alarms.set(
      member,
      clock.wake(until, () => {
        this.#alarms.delete(member);
        troubles.mend(`namesake ${member}`);
      }),
    );
  }
}
