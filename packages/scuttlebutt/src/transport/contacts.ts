// Limits what is sent to an address that is not proved to be a member's, so that a group cannot be
// made to flood another host.
//
// How much may be sent to whom, and which datagrams are fresh. A name is an address, anybody who
// holds a key (without keys: anybody) can send in any name, and a recorded datagram can be sent
// again. So a member gives every name a cookie. A datagram that returns a recent one was sent
// lately, by a process that receives at the address of that name.
//
// An address without such a proof is sent no more than arrived in its name. Addresses of the
// configuration are sent a bounded number of datagrams besides, because somebody has to begin.
// Rule numbers such as S6: docs/reference/rules.md.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Instant } from '@leadership/core/adapter';
import { keepLatest } from '@leadership/core/internal/engine';
import { RateLimit } from '@leadership/peer';
import { tagBytes } from './envelope.ts';

/** The greatest number of names that are remembered, proved and others. */
const contactsMax = 4096;
/** A cookie is given out for this time, and accepted for the same time again. Milliseconds. */
const cookieMs = 300_000;
/** The most bytes that an unproved address can save up. */
const creditMax = 65_536;
/** How often a member may be asked for its cookie without having sent anything. Per second. */
const questionsPerSecond = 1;
/** Datagrams to a configured address that has not proved itself, on the own initiative. Per second. */
const initiativesPerSecond = 50;
/** A live voter sends less than a tenth of it with the shortest T that S6 permits. Per second. */
const freshPerSecond = 2000;
/** Datagrams without a proof, of newcomers and of attackers. Per second. */
const stalePerSecond = 200;
/** Limits permit the units of a second at once. Milliseconds. */
const burstMs = 1000;

interface Contact {
  /** The cookie that this member must return. */
  cookie: Buffer;
  /** The own cookie for that name, and its number. */
  own: Buffer;
  ownNumber: number;
  provedUntil: Instant;
  /** The bytes that may be sent before the address is proved. */
  credit: number;
  readonly questions: RateLimit;
  readonly initiatives: RateLimit;
  readonly fresh: RateLimit;
  readonly stale: RateLimit;
}

/** The cookies of a datagram. */
export interface Cookies {
  readonly cookie: Buffer;
  readonly echo: Buffer;
}

/** No cookie has arrived yet. */
const noCookie: Buffer = Buffer.alloc(tagBytes);

/** The members with which datagrams were exchanged. */
export class Contacts {
  readonly #secret: Buffer;
  /** A flood of unproved names does not displace proved ones. */
  readonly #proved = new Map<string, Contact>();
  readonly #strangers = new Map<string, Contact>();

  /** `secret` is random, and known to this process only. */
  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** The number of names that are remembered. */
  get size(): number {
    return this.#proved.size + this.#strangers.size;
  }

  /** Returns the cookies for a datagram to that member. */
  cookiesFor(name: string, now: Instant): Cookies {
    const contact = this.#contactOf(name, now);
    return { cookie: this.#ownCookie(name, contact, numberAt(now)), echo: contact.cookie };
  }

  /**
   * Notes a datagram in that name. Returns whether it is fresh; `undefined` if it is one too many
   * and must be dropped.
   */
  received(
    name: string,
    bytes: number,
    { cookie, echo }: Cookies,
    now: Instant,
  ): boolean | undefined {
    const contact = this.#contactOf(name, now);
    const isFresh = this.#isOwn(name, contact, echo, now);
    if (!(isFresh ? contact.fresh : contact.stale).tryTake(1, now)) return undefined;
    contact.credit = Math.min(creditMax, contact.credit + bytes);
    // A recorded datagram does not replace the cookie of one that is known to be fresh.
    if (isFresh || now >= contact.provedUntil) contact.cookie = Buffer.from(cookie);
    if (isFresh) this.#prove(name, contact, now);
    return isFresh;
  }

  /** Whether the address of that name has returned its cookie lately. */
  isProved(name: string, now: Instant): boolean {
    const contact = this.#proved.get(name);
    return contact !== undefined && now < contact.provedUntil;
  }

  /** Takes that number of bytes from what may be sent. Returns whether they were left. */
  spend(name: string, bytes: number): boolean {
    const contact = this.#proved.get(name) ?? this.#strangers.get(name);
    if (contact === undefined || contact.credit < bytes) return false;
    contact.credit -= bytes;
    return true;
  }

  /** Whether a datagram may be sent to that configured address, which nobody has asked for. */
  mayBegin(name: string, now: Instant): boolean {
    return this.#contactOf(name, now).initiatives.tryTake(1, now);
  }

  /** Whether the address may be asked for its cookie, in that number of bytes. */
  mayAsk(name: string, bytes: number, now: Instant): boolean {
    return this.spend(name, bytes) || this.#contactOf(name, now).questions.tryTake(1, now);
  }

  #isOwn(name: string, contact: Contact, echo: Buffer, now: Instant): boolean {
    const number = numberAt(now);
    return (
      timingSafeEqual(echo, this.#ownCookie(name, contact, number)) ||
      timingSafeEqual(echo, this.#cookie(name, number - 1))
    );
  }

  #ownCookie(name: string, contact: Contact, number: number): Buffer {
    if (contact.ownNumber !== number) {
      contact.own = this.#cookie(name, number);
      contact.ownNumber = number;
    }
    return contact.own;
  }

  #cookie(name: string, number: number): Buffer {
    const hmac = createHmac('sha256', this.#secret).update(`${number} ${name}`);
    return hmac.digest().subarray(0, tagBytes);
  }

  #prove(name: string, contact: Contact, now: Instant): void {
    contact.provedUntil = (now + cookieMs) as Instant;
    this.#strangers.delete(name);
    keepLatest(this.#proved, name, contact, contactsMax);
  }

  #contactOf(name: string, now: Instant): Contact {
    return this.#proved.get(name) ?? this.#strangers.get(name) ?? this.#add(name, now);
  }

  #add(name: string, now: Instant): Contact {
    const limit = (perSecond: number): RateLimit => new RateLimit(perSecond, burstMs, now);
    const contact: Contact = {
      cookie: noCookie,
      own: noCookie,
      ownNumber: Number.NaN,
      provedUntil: Number.NEGATIVE_INFINITY as Instant,
      credit: 0,
      questions: limit(questionsPerSecond),
      initiatives: limit(initiativesPerSecond),
      fresh: limit(freshPerSecond),
      stale: limit(stalePerSecond),
    };
    keepLatest(this.#strangers, name, contact, contactsMax);
    return contact;
  }
}

/** The number of the cookie that is given out now. */
function numberAt(now: Instant): number {
  return Math.floor(now / cookieMs);
}
