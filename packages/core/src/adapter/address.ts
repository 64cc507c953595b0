// The URL grammar of every backend:   SCHEME ':' ( '//' HOST (',' HOST)* [ '/' PATH ] | PATH ) [
// '?' NAME '=' VALUE ('&' …)* ]
import type { LeadershipAddress } from '../contract/address.ts';
import type { UrlParameters } from '../contract/backend-module.ts';
import { show } from '../contract/check-option.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { nearest } from './nearest.ts';

/** The query parameters of every backend's URL: the scalar options. */
export const commonParameters: UrlParameters = {
  group: 'string',
  member: 'string',
  partitions: 'number',
  thresholdMs: 'number',
  thresholdMsMax: 'number',
  driftRate: 'number',
  drainTimeoutMs: 'number',
  campaign: 'boolean',
  partitionsMax: 'number',
  guard: 'boolean',
};

/** The schemes whose URLs name no server. Names of groups and of directories may have an @. */
const withoutServer: readonly string[] = ['memory', 'file'];

/** Returns the scheme of a leadership URL, or `undefined` if it has none. */
export function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
}

/**
 * Parses a leadership URL.
 *
 * @param own - the query parameters that the backend accepts in addition to the common ones
 * @throws LeadershipError `invalid-options` for unknown parameters and values of the wrong kind
 */
export function parseAddress(url: string, own: UrlParameters): LeadershipAddress {
  const scheme = schemeOf(url);
  if (scheme === undefined)
    throw new LeadershipError(
      'invalid-options',
      `${show(url)} is not a leadership URL: it must begin with a scheme, as in memory:GROUP`,
    );
  const [place = '', ...query] = url.slice(scheme.length + 1).split('?');
  const { hosts, path } = parsePlace(place, scheme);
  return {
    scheme,
    hosts,
    path,
    parameters: parseQuery(query.join('?'), { ...commonParameters, ...own }, scheme),
  };
}

function parsePlace(place: string, scheme: string): Pick<LeadershipAddress, 'hosts' | 'path'> {
  // A user and a password may be where a path is, in a URL with too few slashes or too many.
  if (!withoutServer.includes(scheme) && /@|:.*%40/is.test(place)) throw secretsInUrl();
  if (!place.startsWith('//')) return { hosts: [], path: decode(place) };
  const slash = place.indexOf('/', 2);
  const authority = slash < 0 ? place.slice(2) : place.slice(2, slash);
  // A password may contain a slash.
  if (authority !== '' && /@|^[/]{2}[^/]*%40/i.test(place)) throw secretsInUrl();
  return {
    hosts: authority.split(',').filter(Boolean),
    path: slash < 0 ? '' : decode(place.slice(slash)),
  };
}

function parseQuery(
  query: string,
  kinds: UrlParameters,
  scheme: string,
): LeadershipAddress['parameters'] {
  const parameters: Record<string, string | number | boolean> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    // A password may contain a question mark.
    if (kind === undefined && `${name}${value}`.includes('@')) throw secretsInUrl();
    if (kind === undefined) throw unknownParameter(name, kinds, scheme);
    if (Object.hasOwn(parameters, name))
      throw new LeadershipError('invalid-options', `URL parameter ${name} is given twice`);
    parameters[name] = convert(name, value, kind);
  }
  return parameters;
}

/** No part of the URL is shown: it is not known where the secret ends. */
function secretsInUrl(): LeadershipError {
  return new LeadershipError(
    'invalid-options',
    'secrets never go in the URL: pass user names and passwords in the options; an @ in a name is %40',
  );
}

function unknownParameter(name: string, kinds: UrlParameters, scheme: string): LeadershipError {
  const meant = nearest(name, Object.keys(kinds));
  const hint =
    meant === undefined
      ? `known parameters are ${Object.keys(kinds).join(', ')}`
      : `did you mean ${meant}?`;
  return new LeadershipError(
    'invalid-options',
    `a ${scheme}: URL has no parameter ${name}; ${hint}`,
  );
}

function convert(
  name: string,
  value: string,
  kind: UrlParameters[string],
): string | number | boolean {
  if (kind === 'string') return value;
  if (kind === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (kind === 'number' && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value);
  throw new LeadershipError(
    'invalid-options',
    `URL parameter ${name} must be ${kind === 'number' ? 'a number' : 'true or false'}, not ${show(value)}`,
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new LeadershipError(
      'invalid-options',
      `${show(text)} is not valid in a URL: encode % as %25`,
      { cause },
    );
  }
}
