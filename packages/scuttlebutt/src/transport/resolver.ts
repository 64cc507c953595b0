// Host names and their addresses. Node looks up the name of every datagram by itself, in a pool of
// four threads: while the name server does not answer, datagrams would pile up there. So names are
// looked up beside the sending, and a datagram to a name without a known address is dropped.
import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import type { Instant } from '@leadership/core/adapter';

/** The age at which a known address is resolved again. It is used meanwhile. Milliseconds. */
const freshMs = 10_000;
/** The greatest number of names that are remembered. */
const namesMax = 4096;
/** The most lookups at a time: other parts of the process need the threads too. */
const lookupsMax = 2;

interface Known {
  address: string | undefined;
  /** The time of its next lookup. */
  at: Instant;
}

/** Looks up host names. */
export class Resolver {
  readonly #family: 4 | 6;
  readonly #known = new Map<string, Known>();
  #running = 0;

  constructor(family: 4 | 6) {
    this.#family = family;
  }

  /**
   * Returns the latest known address of a host. Begins a lookup if that is missing or old, and calls
   * `failed` if that does not succeed.
   */
  addressOf(host: string, now: Instant, failed: (error: Error) => void): string | undefined {
    if (isIP(host) !== 0) return host;
    const known = this.#known.get(host) ?? this.#add(host);
    if (now >= known.at && this.#running < lookupsMax) this.#look(host, known, now, failed);
    return known.address;
  }

  #look(host: string, known: Known, now: Instant, failed: (error: Error) => void): void {
    known.at = (now + freshMs) as Instant;
    this.#running += 1;
    lookup(host, { family: this.#family }, (error, address) => {
      this.#running -= 1;
      if (error === null) known.address = address;
      else failed(error);
    });
  }

  #add(host: string): Known {
    const known: Known = { address: undefined, at: Number.NEGATIVE_INFINITY as Instant };
    const oldest = this.#known.keys().next();
    if (this.#known.size >= namesMax && !oldest.done) this.#known.delete(oldest.value);
    this.#known.set(host, known);
    return known;
  }
}
