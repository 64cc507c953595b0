// Looks up the addresses of members' host names. Node looks up the name of every datagram by
// itself, in a pool of four threads: while the name server does not answer, datagrams would pile up
// there. So names are looked up beside the sending, and a datagram to a name without a known
// address is dropped.
import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import { type Instant, monotonicClock } from '@leadership/core/adapter';
import { after, keepLatest } from '@leadership/core/internal/engine';

/** The age at which a known address is resolved again. It is used meanwhile. Milliseconds. */
const freshMs = 10_000;
/** How long after a lookup that failed the next one begins. Milliseconds. */
const retryMs = 2000;
/** The greatest number of names that are remembered. */
const namesMax = 4096;
/** The most lookups at a time: other parts of the process need the threads too. */
const lookupsMax = 2;

/** A host name, as far as it was resolved. */
interface Resolved {
  /** Its latest address. */
  readonly address: string | undefined;
  /** Why the latest lookup failed, if it did. */
  readonly error: Error | undefined;
}

interface Known {
  address: string | undefined;
  error: Error | undefined;
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

  /** Returns what is known of a host. Begins a lookup if that is missing or old. */
  resolve(host: string, now: Instant): Resolved {
    if (isIP(host) !== 0) return { address: host, error: undefined };
    const known = this.#known.get(host) ?? this.#add(host);
    if (now >= known.at && this.#running < lookupsMax) this.#look(host, known);
    return known;
  }

  #look(host: string, known: Known): void {
    known.at = Number.POSITIVE_INFINITY as Instant;
    this.#running += 1;
    lookup(host, { family: this.#family }, (error, address) => {
      this.#running -= 1;
      known.error = error ?? undefined;
      if (error === null) known.address = address;
      known.at = after(monotonicClock.now(), error === null ? freshMs : retryMs);
    });
  }

  #add(host: string): Known {
    const known: Known = {
      address: undefined,
      error: undefined,
      at: Number.NEGATIVE_INFINITY as Instant,
    };
    keepLatest(this.#known, host, known, namesMax);
    return known;
  }
}
