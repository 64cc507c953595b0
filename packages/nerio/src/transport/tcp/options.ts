// The options of the TCP transport: their types, defaults and checks.
import { check } from '@leadership/core/adapter';
import {
  type Addressing,
  addressAt,
  asFunction,
  callGuarded,
  checkEndpoint,
  groupFault,
  listenAt as listenAtWith,
  refusedAddress,
} from '@leadership/peer';
import type { NerioKeys } from '../keys.ts';
import type { TcpAddress } from './address.ts';
import type { NerioTls } from './tls.ts';

/** The options of {@link tcpTransport}. */
export interface TcpOptions {
  /**
   * The address on which this member listens. Default: the port in its name, on all interfaces, or
   * on the loopback interface alone if the name is a loopback address. Port 0 is any free port,
   * which `listening` receives.
   */
  readonly listen?: { readonly host?: string; readonly port?: number };
  /** The address of each member, `HOST:PORT` by name. Default: a member's name is its address. */
  readonly addresses?: Readonly<Record<string, string>> | ((member: string) => string | undefined);
  /**
   * Whether this member may connect to that address, for a member of that name. Default: any
   * address. An authenticated peer can name members at any address, in an epoch that it reports;
   * this option restricts the addresses.
   */
  readonly mayCall?: (at: TcpAddress, member: string) => boolean;
  /** Called with the address on which this member listens, each time it starts to listen. */
  readonly listening?: (at: TcpAddress) => void;
  /**
   * Certificates. A function is called every `heartbeatMs`, so that they can be renewed. As that of
   * `keys`, it must not be asynchronous. Default: no TLS.
   */
  readonly tls?: NerioTls | (() => NerioTls);
  /**
   * Shared secrets; frames of peers without one are dropped. A function is called every
   * `heartbeatMs`, so that they can be rotated. It must not be asynchronous: a
   * member must not start without its keys, and checks each frame as it arrives. Load the keys
   * elsewhere, and return the latest ones.
   */
  readonly keys?: NerioKeys | (() => NerioKeys);
  /**
   * Without `keys` and mutual `tls` every host that reaches the port may vote. A member then
   * refuses to listen on, or to connect to, any address except loopback, unless this is `true`.
   * Default `false`.
   */
  readonly insecure?: boolean;
  /**
   * The interval of beats on each connection. Milliseconds. Default: T/6, at least 20 and at most
   * 1000.
   */
  readonly heartbeatMs?: number;
  /**
   * A connection without an echo for this long is closed and opened again. Milliseconds. Default:
   * four times `heartbeatMs`.
   */
  readonly silenceMs?: number;
  /**
   * How long a connection may take to open and authenticate. Milliseconds. Default: T, at least
   * 2000.
   */
  readonly connectMs?: number;
  /**
   * How many messages a peer may send in a second; each 256 bytes count as one more. A faster peer
   * is slowed down. Default: 1000, and 20 for each partition.
   */
  readonly messagesPerSecondMax?: number;
}

/** The options, complete and checked, after keys and certificates were loaded. */
export interface TcpSettings extends Addressing {
  readonly mayCall: (at: TcpAddress, member: string) => unknown;
  readonly listening: (at: TcpAddress) => unknown;
  readonly tls: (() => NerioTls) | undefined;
  readonly keys: (() => NerioKeys) | undefined;
  readonly pace: Partial<Pace>;
}

/**
 * The options, complete and checked, before keys and certificates are loaded. `isLocal` is not known
 * yet, because it depends on those as well as on `insecure`.
 */
export interface CheckedTcpOptions extends Omit<TcpSettings, 'isLocal'> {
  readonly insecure: boolean;
}

/** The timing and limits of a transport. */
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
 * Checks the options, except those that depend on the member's name, keys or certificates.
 * @throws LeadershipError `invalid-options`
 */
export function resolveTcp(options: TcpOptions): CheckedTcpOptions {
  const endpoint = checkEndpoint('tcpTransport', Object.keys(names), options);
  const { listening = () => undefined, mayCall = () => true, tls } = options;
  const { heartbeatMs, silenceMs, connectMs, messagesPerSecondMax } = options;
  const pace = given({ heartbeatMs, silenceMs, connectMs, messagesPerSecondMax });
  for (const [name, value] of Object.entries(pace)) {
    check(Number.isFinite(value) && value > 0, `${name} ${value} must be a number above 0`);
  }
  checkSilence(pace);
  return { ...endpoint, mayCall, listening, tls: asFunction(tls), pace };
}

/**
 * Returns the timing and limits for that T.
 * @throws LeadershipError `invalid-options`
 */
export function paceOf({ pace }: TcpSettings, thresholdMs: number, partitions: number): Pace {
  const heartbeatMs = pace.heartbeatMs ?? Math.min(1000, Math.max(20, thresholdMs / 6));
  const silenceMs = pace.silenceMs ?? 4 * heartbeatMs;
  const connectMs = pace.connectMs ?? Math.max(2000, thresholdMs);
  checkSilence({ heartbeatMs, silenceMs });
  return {
    heartbeatMs,
    silenceMs,
    connectMs,
    messagesPerSecondMax: pace.messagesPerSecondMax ?? 1000 + 20 * partitions,
  };
}

/** Returns the address on which that member listens, or what is missing. */
export function listenAt(
  settings: TcpSettings,
  member: string,
): { readonly host?: string; readonly port: number } | string {
  return listenAtWith(settings, member, remedy);
}

/** The ways to leave the host safely. */
const remedy = 'set keys or tls, or use 127.0.0.1, or set insecure: true';

/** Returns the address of that member, or why this member cannot connect to it. */
export function callAt(settings: TcpSettings, member: string): TcpAddress | string {
  const at = addressAt(settings, member);
  return typeof at === 'string' ? at : (refusal(settings, at, member) ?? at);
}

/** Returns why this member cannot listen, or cannot connect to another one, if so. */
export function faultIn(
  settings: TcpSettings,
  member: string,
  others: readonly string[],
): string | undefined {
  const addresses = { member, others, remedy };
  return groupFault(settings, addresses, (other) => faultInCalling(settings, other));
}

/** Returns why this member cannot connect to that one; `undefined` if it can. */
function faultInCalling(settings: TcpSettings, member: string): string | undefined {
  const at = addressAt(settings, member);
  if (typeof at === 'string')
    return `member "${member}" ${at}: addresses must contain its HOST:PORT`;
  const why = refusal(settings, at, member);
  return why && `member "${member}" ${why}`;
}

function refusal(settings: TcpSettings, at: TcpAddress, member: string): string | undefined {
  const refused = refusedAddress(settings, at, remedy);
  if (refused !== undefined) return refused;
  const may = callGuarded('mayCall', () => settings.mayCall(at, member));
  if (may === true) return undefined;
  return may instanceof Error
    ? `is not connected to: ${may.message}`
    : 'is not connected to: mayCall returned false';
}

function given(pace: { readonly [name in keyof Pace]: number | undefined }): Partial<Pace> {
  return Object.fromEntries(Object.entries(pace).filter(([, value]) => value !== undefined));
}

function checkSilence({ heartbeatMs, silenceMs }: Partial<Pace>): void {
  if (heartbeatMs === undefined || silenceMs === undefined) return;
  check(
    silenceMs >= 2 * heartbeatMs,
    `silenceMs ${silenceMs} must be at least 2 × heartbeatMs ${heartbeatMs}, because one echo may be late`,
  );
}
