// URLs of backends whose authority names hosts and whose path names the group:
// `SCHEME://HOST,HOST/GROUP`.
import type { LeadershipAddress } from '../contract/address.ts';
import { LeadershipError } from '../contract/leadership-error.ts';

/** The hosts and the group that a URL names. */
interface PlaceInUrl {
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

/** The option of a member that a URL of hosts needs. */
interface NamedMember {
  readonly group?: string | undefined;
  readonly member?: string;
}

/**
 * Checks that the options of a URL name the member: the host name that others default to is none of
 * the hosts. Returns them with the group.
 * @throws LeadershipError `invalid-options`
 */
export function memberAt<Options extends NamedMember>(
  { hosts: [first = 'a.example:7400'] }: PlaceInUrl,
  options: Options,
): Options & { readonly group: string; readonly member: string } {
  const { group = '', member } = options;
  if (member === undefined)
    throw new LeadershipError(
      'invalid-options',
      `member is missing: say which of the hosts this process is, as in ?member=${first}`,
    );
  return { ...options, group, member };
}
