// Who may have a connection. Whoever has not said yet who it is costs a place for a while: there are so many places, and those who come
// from where most of them come from give way first. So a flood from one host keeps nobody out who comes from another.
import type { Clock } from '@leadership/core/backend';
import { Allowance } from './allowance.ts';

/** Somebody with a connection. */
export interface Guest {
  /** Where it comes from. */
  readonly address: string;
  /** Sends it away. */
  readonly sendAway: () => void;
}

/** So many may be about to say who they are: twice the members of an epoch. */
const strangersMax = 64;
/** So many connections an address may open in a second, and four times that at once: all members, behind one proxy, begin anew. */
const perSecond = 16;
const burstMs = 4000;
/** So many addresses are remembered. */
const addressesMax = 1024;

/** The guests of one listener. */
export class Admissions {
  readonly #clock: Clock;
  readonly #strangers = new Set<Guest>();
  readonly #allowances = new Map<string, Allowance>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether there is a place for it; somebody else may have to go. */
  admit(guest: Guest): boolean {
    if (this.#allowanceOf(guest.address).take(1, this.#clock.now()) > 0) return false;
    this.#strangers.add(guest);
    if (this.#strangers.size > strangersMax) this.#makeRoom();
    return this.#strangers.has(guest);
  }

  /** It has said who it is, or is gone. */
  settled(guest: Guest): void {
    this.#strangers.delete(guest);
  }

  #makeRoom(): void {
    const crowds = new Map<string, Guest[]>();
    for (const guest of this.#strangers) crowds.set(guest.address, [...(crowds.get(guest.address) ?? []), guest]);
    const [first] = [...crowds.values()].sort((a, b) => b.length - a.length)[0] ?? [];
    if (first === undefined) return;
    this.#strangers.delete(first);
    first.sendAway();
  }

  /** The latest addresses are remembered. */
  #allowanceOf(address: string): Allowance {
    const known = this.#allowances.get(address) ?? new Allowance(perSecond, burstMs, this.#clock.now());
    this.#allowances.delete(address);
    this.#allowances.set(address, known);
    const [oldest] = this.#allowances.keys();
    if (this.#allowances.size > addressesMax && oldest !== undefined) this.#allowances.delete(oldest);
    return known;
  }
}
