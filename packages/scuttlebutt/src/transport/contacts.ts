// How much may be sent to whom. Without keys anybody can claim any name, and a name is an address: a
// stranger could make a member send much to a victim. So an address is sent no more than arrived in
// its name, until it has returned a cookie that was sent there.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { tagBytes } from './envelope.ts';

/** The greatest number of names that are remembered. */
const contactsMax = 4096;

interface Contact {
  /** The latest cookie that this member must return. */
  cookie: Buffer;
  isProved: boolean;
  /** The bytes that may be sent before the address is proved. */
  credit: number;
  /** When it was last asked for its cookie without having sent anything. Milliseconds. */
  askedAt: number;
}

/** A member asks on its own initiative this often. Milliseconds. */
const askMs = 1000;

const noCookie: Buffer = Buffer.alloc(tagBytes);

/** The members with which datagrams were exchanged. */
export class Contacts {
  readonly #secret: Buffer;
  readonly #contacts = new Map<string, Contact>();

  /** `secret` is random, and known to this process only. */
  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** The number of names that are remembered. */
  get size(): number {
    return this.#contacts.size;
  }

  /** Returns the cookie for a member: only what is sent to its address contains it. */
  cookieFor(name: string): Buffer {
    return createHmac('sha256', this.#secret).update(name).digest().subarray(0, tagBytes);
  }

  /** Returns the last cookie that arrived in that name. */
  echoFor(name: string): Buffer {
    return this.#contacts.get(name)?.cookie ?? noCookie;
  }

  /** Notes a datagram in that name. */
  received(name: string, bytes: number, cookie: Buffer, echo: Buffer): void {
    const contact = this.#contacts.get(name) ?? this.#add(name);
    contact.cookie = Buffer.from(cookie);
    contact.credit += bytes;
    if (timingSafeEqual(echo, this.cookieFor(name))) contact.isProved = true;
  }

  /** Whether the address of that name has returned its cookie. */
  isProved(name: string): boolean {
    return this.#contacts.get(name)?.isProved === true;
  }

  /** Takes that number of bytes from what may be sent. Returns whether they were left. */
  spend(name: string, bytes: number): boolean {
    const contact = this.#contacts.get(name);
    if (contact === undefined || contact.credit < bytes) return false;
    contact.credit -= bytes;
    return true;
  }

  /** Whether the address may be asked for its cookie, in that number of bytes. */
  mayAsk(name: string, bytes: number, nowMs: number): boolean {
    if (this.spend(name, bytes)) return true;
    const contact = this.#contacts.get(name) ?? this.#add(name);
    if (nowMs - contact.askedAt < askMs) return false;
    contact.askedAt = nowMs;
    return true;
  }

  #add(name: string): Contact {
    const contact = {
      cookie: noCookie,
      isProved: false,
      credit: 0,
      askedAt: Number.NEGATIVE_INFINITY,
    };
    const oldest = this.#contacts.keys().next();
    if (this.#contacts.size >= contactsMax && !oldest.done) this.#contacts.delete(oldest.value);
    this.#contacts.set(name, contact);
    return contact;
  }
}
