// Limits on inbound connections. A connection that has not authenticated occupies one of a fixed
// number of places. If they run out, the address with most of these connections loses one first, so
// a flood from one host does not lock out the others.
import type { Clock } from '@leadership/core/adapter';
import { keepLatest } from '@leadership/core/internal/engine';
import { RateLimit } from './rate-limit.ts';

/** An inbound connection. */
export interface InboundSocket {
  /** The address of the client. */
  readonly address: string;
  /** Ends the connection. */
  readonly end: () => void;
}

/** How many connections may be unauthenticated at once: twice the members of an epoch. */
const unauthenticatedMax = 64;
/** Four times the rate at once, for members that all connect through one proxy. */
const burstMs = 4000;
/** How many addresses have a remembered rate. */
const addressesMax = 1024;

/** The limits of one server. */
export class ConnectionLimits {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #perSecond: number;
  readonly #unauthenticated = new Set<InboundSocket>();
  readonly #limits = new Map<string, RateLimit>();

  /** `perSecond`: how many connections an address may open in a second. */
  constructor(clock: Pick<Clock, 'now'>, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** Returns whether the connection may stay. Another one may be ended for it. */
  admit(socket: InboundSocket): boolean {
    if (this.#limitOf(socket.address).take(1, this.#clock.now()) > 0) return false;
    this.#unauthenticated.add(socket);
    if (this.#unauthenticated.size > unauthenticatedMax) this.#makeRoom();
    return this.#unauthenticated.has(socket);
  }

  /** The connection has authenticated or ended. */
  settled(socket: InboundSocket): void {
    this.#unauthenticated.delete(socket);
  }

  #makeRoom(): void {
    const byAddress = new Map<string, InboundSocket[]>();
    for (const socket of this.#unauthenticated)
      byAddress.set(socket.address, [...(byAddress.get(socket.address) ?? []), socket]);
    const [first] = [...byAddress.values()].sort((a, b) => b.length - a.length)[0] ?? [];
    if (first === undefined) return;
    this.#unauthenticated.delete(first);
    first.end();
  }

  /** The rate limit of an address. Only the latest addresses are remembered. */
  #limitOf(address: string): RateLimit {
    const known =
      this.#limits.get(address) ?? new RateLimit(this.#perSecond, burstMs, this.#clock.now());
    this.#limits.delete(address);
    keepLatest(this.#limits, address, known, addressesMax);
    return known;
  }
}
