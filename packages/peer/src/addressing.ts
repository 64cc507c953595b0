// Checks the addresses of a group's members: where they listen, where they find each other, and
// whether they may leave this host: without authentication every host that reaches the port may
// vote.
import { check } from '@leadership/core/adapter';
import { isLoopback } from '@leadership/core/internal/engine';
import { callGuarded } from './guarded-callback.ts';
import { type HostPort, parseHostPort } from './host-port.ts';
import type { GroupKeys } from './keyring.ts';
import { asFunction } from './loaded-keys.ts';

/** The address of each member, `HOST:PORT` by name. */
type Addresses = Readonly<Record<string, string>> | ((member: string) => string | undefined);

/** The addresses of a group, as one member uses them. */
export interface Addressing {
  readonly listen: { readonly host?: string; readonly port?: number } | undefined;
  readonly addressOf: (member: string) => string | undefined | Error;
  /** Whether the transport stays on this host, because peers do not authenticate. */
  readonly isLocal: boolean;
}

/**
 * Returns the lookup of addresses. Without any, a member's name is its address.
 * @throws LeadershipError `invalid-options`
 */
function addressBook(addresses: Addresses | undefined): Addressing['addressOf'] {
  if (typeof addresses === 'function')
    return (member) => callGuarded('addresses', () => addresses(member));
  for (const [member, address] of Object.entries(addresses ?? {})) {
    check(
      parseHostPort(address) !== undefined,
      `addresses["${member}"] is "${address}"; it must be HOST:PORT`,
    );
  }
  return (member) => (addresses && Object.hasOwn(addresses, member) ? addresses[member] : member);
}

/** The options of every transport. */
interface EndpointOptions {
  readonly listen?: { readonly host?: string; readonly port?: number };
  readonly addresses?: Addresses;
  readonly keys?: GroupKeys | (() => GroupKeys);
  readonly insecure?: boolean;
}

/** The options of every transport, complete and checked. */
export interface Endpoint extends Omit<Addressing, 'isLocal'> {
  readonly keys: (() => GroupKeys) | undefined;
  readonly insecure: boolean;
}

/**
 * Checks the options of a transport that has those names, as far as every transport has them.
 * @throws LeadershipError `invalid-options`
 */
export function checkEndpoint(
  transport: string,
  names: readonly string[],
  options: EndpointOptions,
): Endpoint {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  check(
    unknown === undefined,
    `${transport} has no option ${unknown}; its options are ${names.join(', ')}`,
  );
  const { listen, addresses, keys, insecure = false } = options;
  check(
    typeof insecure === 'boolean',
    `insecure ${JSON.stringify(insecure)} must be true or false`,
  );
  const port = listen?.port ?? 0;
  check(
    Number.isInteger(port) && port >= 0 && port <= 65_535,
    `listen.port ${port} must be a whole number from 0 to 65535`,
  );
  return { listen, addressOf: addressBook(addresses), keys: asFunction(keys), insecure };
}

/** Returns the address of a member, or why there is none, as the end of a sentence. */
export function addressAt({ addressOf }: Addressing, member: string): HostPort | string {
  const found = addressOf(member);
  if (found instanceof Error) return `has no known address: ${found.message}`;
  return parseHostPort(found ?? '') ?? 'is not a HOST:PORT';
}

/**
 * Returns where this member listens, or why it must not. The port is the one in its name, on all
 * interfaces, or on the loopback interface alone if the name is a loopback address. `remedy`: the
 * ways to leave the host safely.
 */
export function listenAt(
  addressing: Addressing,
  member: string,
  remedy: string,
): { readonly host?: string; readonly port: number } | string {
  const { host: givenHost, port: given } = addressing.listen ?? {};
  const own = given === undefined ? addressAt(addressing, member) : undefined;
  if (typeof own === 'string')
    return `member "${member}" ${own}: set listen.port, and addresses at the other members`;
  const host = givenHost ?? localHostOf(own);
  if (addressing.isLocal && !isLoopback(host ?? ''))
    return `member "${member}" would listen on ${host ?? 'all interfaces'} without authentication, so every host could vote: ${remedy}`;
  const port = given ?? own?.port ?? 0;
  return { port, ...(host !== undefined && { host }) };
}

/** A member with a loopback address listens there alone. */
function localHostOf(own: HostPort | undefined): string | undefined {
  return own !== undefined && isLoopback(own.host) ? own.host : undefined;
}

/** Returns why this member must not send to that address, as the end of a sentence. */
export function refusedAddress(
  { isLocal }: Addressing,
  { host }: HostPort,
  remedy: string,
): string | undefined {
  if (!isLocal || isLoopback(host)) return undefined;
  return `is at ${host}, and connections without authentication must stay on this host: ${remedy}`;
}

/**
 * Returns why this member cannot listen, or cannot reach another one, as the end of a sentence.
 * `faultOf`: why it cannot reach that one.
 */
export function groupFault(
  addressing: Addressing,
  { member, others, remedy }: GroupAddresses,
  faultOf: (other: string) => string | undefined,
): string | undefined {
  const at = listenAt(addressing, member, remedy);
  if (typeof at === 'string') return at;
  const fault = others
    .map((other) => (other === member ? undefined : faultOf(other)))
    .find((one) => one !== undefined);
  return fault ?? sharedAddress(addressing, [member, ...others]);
}

/** The members of a group whose addresses are checked. */
interface GroupAddresses {
  readonly member: string;
  /** May contain `member`. */
  readonly others: readonly string[];
  /** The ways to leave the host safely. */
  readonly remedy: string;
}

/**
 * Returns which two members have one address, as the end of a sentence. Only one of them can listen
 * there, so the other one would never answer.
 */
function sharedAddress(addressing: Addressing, members: readonly string[]): string | undefined {
  const seen = new Map<string, string>();
  for (const member of new Set(members)) {
    const at = addressAt(addressing, member);
    if (typeof at === 'string') continue;
    for (const place of placesOf(at)) {
      const other = seen.get(place);
      if (other !== undefined)
        return `members "${other}" and "${member}" have the same address: use one name for each member, and a port of its own`;
    }
    for (const place of placesOf(at)) seen.set(place, member);
  }
  return undefined;
}

/** `localhost` is one address of each version. */
function placesOf({ host, port }: HostPort): readonly string[] {
  const name = host.toLowerCase();
  const hosts = name === 'localhost' ? ['127.0.0.1', '::1'] : [name];
  return hosts.map((one) => `${one} ${port}`);
}
