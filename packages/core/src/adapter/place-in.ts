// URLs of backends whose authority names hosts and whose path names the group:
// `SCHEME://HOST,HOST/GROUP`.
import type { LeadershipAddress } from '../contract/address.ts';
import { LeadershipError } from '../contract/leadership-error.ts';

/** The hosts and the group that a URL names. */
export interface PlaceInUrl {
  readonly hosts: readonly string[];
  /** `undefined` if the path is empty. */
  readonly group: string | undefined;
}

/**
 * Returns the hosts and the group of a URL. `what` says what the hosts are, and `example` is a URL
 * that is right.
 * @throws LeadershipError `invalid-options` if it names no hosts
 */
export function placeIn(
  { scheme, hosts, path }: LeadershipAddress,
  what: string,
  example: string,
): PlaceInUrl {
  if (hosts.length === 0)
    throw new LeadershipError(
      'invalid-options',
      `a ${scheme}: URL must name ${what}, as in ${scheme}://${example}`,
    );
  const group = path.replace(/^\//, '');
  return { hosts, group: group === '' ? undefined : group };
}

/**
 * Checks that the URL's path and its query or the options name the same group.
 * @throws LeadershipError `invalid-options`
 */
export function checkGroup(named: string | undefined, group: string): void {
  if (named === undefined || named === group) return;
  throw new LeadershipError(
    'invalid-options',
    `group is "${named}" in the URL's path, but "${group}" beside it`,
  );
}

/** The options of a member among those that a URL names. */
interface NamedMember {
  readonly group?: string;
  readonly member?: string;
}

/**
 * Checks the group, and that the member is named: the host name that others default to is none of
 * the hosts. Returns the options with both.
 * @throws LeadershipError `invalid-options`
 */
export function memberAt<Options extends NamedMember>(
  { hosts, group: named }: PlaceInUrl,
  options: Options,
): Options & { readonly group: string; readonly member: string } {
  const { group = named ?? '', member } = options;
  checkGroup(named, group);
  const [first = 'a.example:7400'] = hosts;
  if (member === undefined)
    throw new LeadershipError(
      'invalid-options',
      `member is missing: say which of the hosts this process is, as in ?member=${first}`,
    );
  return { ...options, group, member };
}
