import { LeadershipError } from '@leadership/core';
import { answerOf } from '../../callback.ts';
import type { NerioKeys } from '../frames/keyring.ts';
import { parseTcpAddress, type TcpAddress } from './address.ts';
import type { NerioTls } from './tls.ts';

/** How members speak over TCP: what {@link tcpTransport} takes. */
export interface TcpOptions {
  /**
   * Where this member listens. Default: the port in its address, on all interfaces; on the loopback interface alone where that address is
   * one of it. Port 0 is any free one, which `listening` is told.
   */
  readonly listen?: { readonly host?: string; readonly port?: number };
  /** Where the others are to be called, `HOST:PORT` by name. Default: a member's name is its address. */
  readonly addresses?: Readonly<Record<string, string>> | ((member: string) => string | undefined);
  /**
   * Whether this member may be made to call that address, for a member of that name. Default: any. Whoever is let in can name members
   * at any address, in an epoch that it says runs: say which ones are none of them.
   */
  readonly mayCall?: (at: TcpAddress, member: string) => boolean;
  /** Told where this member listens, each time that it begins to. */
  readonly listening?: (at: TcpAddress) => void;
  /** Certificates; a function is asked again and again, so that they can be renewed. Default: no TLS. */
  readonly tls?: NerioTls | (() => NerioTls);
  /** Shared secrets, without which frames of others are dropped; a function is asked again and again, so that they can be rotated. */
  readonly keys?: NerioKeys | (() => NerioKeys);
  /**
   * Without `keys` and `tls`, or with `tls` that is not mutual alone, whoever reaches the port may vote. A member refuses then to listen at, or to call, any address but one of the
   * loopback interface, unless this is `true`. Default `false`.
   */
  readonly insecure?: boolean;
  /** How often each connection is asked for a sign of life. Milliseconds. Default: a sixth of T, at least 20 and at most 1000. */
  readonly heartbeatMs?: number;
  /** After so long without one it is ended, and made anew. Milliseconds. Default: four times `heartbeatMs`. */
  readonly silenceMs?: number;
  /** How long a connection may take until both ends know each other. Milliseconds. Default: T, at least 2000. */
  readonly connectMs?: number;
  /** How many messages a peer may send in a second, 256 bytes as one more; beyond it, it is made to wait. Default: 1000, and 20 for each partition. */
  readonly messagesPerSecondMax?: number;
}

/** The options, complete and checked. */
export interface TcpSettings {
  readonly listen: TcpOptions['listen'];
  readonly addressOf: (member: string) => string | undefined | Error;
  readonly mayCall: (at: TcpAddress, member: string) => unknown;
  readonly listening: (at: TcpAddress) => unknown;
  readonly tls: (() => NerioTls) | undefined;
  readonly keys: (() => NerioKeys) | undefined;
  /** Whether other members are believed to be who they say without any proof, and only on this host. */
  readonly isLocal: boolean;
  readonly pace: Partial<Pace>;
}

/** How patient a transport is. */
export interface Pace {
  readonly heartbeatMs: number;
  readonly silenceMs: number;
  readonly connectMs: number;
  readonly messagesPerSecondMax: number;
}

const names: Readonly<Record<keyof TcpOptions, true>> = {
  listen: true,
  addresses: true,
  mayCall: true,
  listening: true,
  tls: true,
  keys: true,
  insecure: true,
  heartbeatMs: true,
  silenceMs: true,
  connectMs: true,
  messagesPerSecondMax: true,
};

/**
 * Checks what can be checked before the member is known, and before keys and certificates are.
 * @throws LeadershipError `invalid-options`
 */
export function resolveTcp(options: TcpOptions): TcpSettings {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  check(unknown === undefined, `a TCP transport has no option ${unknown}; there are ${Object.keys(names).join(', ')}`);
  const { listen, addresses, listening = () => undefined, mayCall = () => true, tls, keys, insecure = false } = options;
  check(typeof insecure === 'boolean', `insecure ${String(insecure)} must be true or false`);
  const { heartbeatMs, silenceMs, connectMs, messagesPerSecondMax } = options;
  const port = listen?.port ?? 0;
  check(Number.isInteger(port) && port >= 0 && port <= 65_535, `listen.port ${port} must be a whole number from 0 to 65535`);
  const pace = given({ heartbeatMs, silenceMs, connectMs, messagesPerSecondMax });
  for (const [name, value] of Object.entries(pace)) {
    check(Number.isFinite(value) && value > 0, `${name} ${value} must be a number above 0`);
  }
  checkSilence(pace);
  return { listen, addressOf: addressBook(addresses), mayCall, listening, tls: asked(tls), keys: asked(keys), isLocal: !insecure, pace };
}

/**
 * The pace, where T is that.
 * @throws LeadershipError `invalid-options`
 */
export function paceOf({ pace }: TcpSettings, thresholdMs: number, partitions: number): Pace {
  const heartbeatMs = pace.heartbeatMs ?? Math.min(1000, Math.max(20, thresholdMs / 6));
  const silenceMs = pace.silenceMs ?? 4 * heartbeatMs;
  const connectMs = pace.connectMs ?? Math.max(2000, thresholdMs);
  checkSilence({ heartbeatMs, silenceMs });
  return { heartbeatMs, silenceMs, connectMs, messagesPerSecondMax: pace.messagesPerSecondMax ?? 1000 + 20 * partitions };
}

/** Where that member listens, or what is missing to say so. */
export function listenAt(settings: TcpSettings, member: string): { readonly host?: string; readonly port: number } | string {
  const { host: givenHost, port: given } = settings.listen ?? {};
  const own = given === undefined ? addressAt(settings, member) : undefined;
  if (typeof own === 'string') return `member "${member}" ${own}: give listen.port, and addresses for the others to call it`;
  const host = givenHost ?? localHostOf(own);
  if (settings.isLocal && !isLoopback(host ?? ''))
    return `member "${member}" would listen on ${host ?? 'all interfaces'}, where anyone may vote: ${remedy}`;
  const port = given ?? own?.port ?? 0;
  return { port, ...(host !== undefined && { host }) };
}

/** A member whose address is one of the loopback interface listens there alone. */
function localHostOf(own: TcpAddress | undefined): string | undefined {
  return own !== undefined && isLoopback(own.host) ? own.host : undefined;
}

/** What makes it safe to leave the host. */
const remedy = 'give keys or tls, or listen on 127.0.0.1, or say insecure: true';

/** Whether only processes of this host have that address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Where that member is to be called, or why it cannot be. */
export function callAt(settings: TcpSettings, member: string): TcpAddress | string {
  const at = addressAt(settings, member);
  return typeof at === 'string' ? at : (refusal(settings, at, member) ?? at);
}

/** What keeps that member from being called, in words; `undefined` where nothing does. */
export function faultInCalling(settings: TcpSettings, member: string): string | undefined {
  const at = addressAt(settings, member);
  if (typeof at === 'string') return `member "${member}" ${at}: addresses must say where it is to be called`;
  const why = refusal(settings, at, member);
  return why && `member "${member}" ${why}`;
}

function refusal({ mayCall, isLocal }: TcpSettings, at: TcpAddress, member: string): string | undefined {
  if (isLocal && !isLoopback(at.host)) return `is not called at ${at.host}, where nobody has to prove who it is: ${remedy}`;
  const may = answerOf('mayCall', () => mayCall(at, member));
  if (may === true) return undefined;
  return may instanceof Error ? `is not called, as ${may.message}` : 'is not called: mayCall says so';
}

function addressAt({ addressOf }: TcpSettings, member: string): TcpAddress | string {
  const found = addressOf(member);
  if (found instanceof Error) return `cannot be looked up, as ${found.message}`;
  return parseTcpAddress(found ?? '') ?? 'is no HOST:PORT';
}

function addressBook(addresses: TcpOptions['addresses']): TcpSettings['addressOf'] {
  if (typeof addresses === 'function') return (member) => answerOf('addresses', () => addresses(member));
  for (const [member, address] of Object.entries(addresses ?? {})) {
    check(parseTcpAddress(address) !== undefined, `addresses["${member}"] is "${address}"; it must be HOST:PORT`);
  }
  return (member) => (addresses && Object.hasOwn(addresses, member) ? addresses[member] : member);
}

function asked<T extends object>(value: T | (() => T) | undefined): (() => T) | undefined {
  return value === undefined || typeof value === 'function' ? (value as (() => T) | undefined) : () => value;
}

function given(pace: { readonly [name in keyof Pace]: number | undefined }): Partial<Pace> {
  return Object.fromEntries(Object.entries(pace).filter(([, value]) => value !== undefined));
}

function checkSilence({ heartbeatMs, silenceMs }: Partial<Pace>): void {
  if (heartbeatMs === undefined || silenceMs === undefined) return;
  check(silenceMs >= 2 * heartbeatMs, `silenceMs ${silenceMs} must be at least 2 × heartbeatMs ${heartbeatMs}: one answer may be late`);
}

function check(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}
