// The fields in which a member publishes itself beside its terms, in records and messages that members
// exchange anyway. They are for people, and no decision depends on them.
import type { KnownMember, Publication } from '../contract/backend.ts';
import type { Metadata } from '../contract/leader.ts';
import { type JsonFields, metadataOf } from './envelope.ts';

/** A member without what the protocol knows of it. */
export type Presence = Omit<KnownMember, 'incarnation' | 'isCandidate'>;

/** The greatest number of roles that a member publishes. */
const rolesMax = 32;

/** The maximum size of their names as JSON. Bytes. */
const rolesBytesMax = 1024;

/** The longest code of a trouble that is read. Later releases may have others. Characters. */
const codeLengthMax = 64;

/** The last moment that a `Date` can express. Milliseconds since 1970. */
const wallMsMax = 8.64e15;

/** Returns the fields of what a member publishes. Absent fields are not written. */
export function publicationFields({ trouble, roles }: Publication): Publication {
  return { ...(trouble !== undefined && { trouble }), ...(roles?.length && { roles }) };
}

/** Parses the fields of a presence. They are untrusted; a wrong one counts as absent. */
export function presenceIn(fields: JsonFields): Presence {
  const { member, metadata, since } = fields;
  return {
    member: typeof member === 'string' ? member : '?',
    metadata: metadataOf(metadata) ?? {},
    ...(isWallMs(since) && { since }),
    ...publicationIn(fields),
  };
}

/** Returns whether two presences say the same. Every renewal asks, so it compares without copies. */
export function isSamePresence(a: Presence, b: Presence): boolean {
  if (a === b) return true;
  const { member, since, trouble } = a;
  return (
    member === b.member &&
    since === b.since &&
    trouble === b.trouble &&
    isSameList(a.roles, b.roles) &&
    isSameMetadata(a.metadata, b.metadata)
  );
}

function isSameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

/** Returns whether two members have the same metadata. */
export function isSameMetadata(a: Metadata, b: Metadata): boolean {
  let left = Object.keys(b).length;
  for (const key in a) {
    if (a[key] !== b[key]) return false;
    left -= 1;
  }
  return left === 0;
}

/** Parses the fields of a publication. */
export function publicationIn({ trouble, roles }: JsonFields): Publication {
  const names = Array.isArray(roles) ? fittingRoles(roles) : [];
  return publicationFields({ ...(isCode(trouble) && { trouble }), roles: names });
}

/** Returns the names that a member may publish: the first ones that fit. */
export function fittingRoles(names: Iterable<unknown>): readonly string[] {
  const fitting: string[] = [];
  let bytes = '[]'.length;
  for (const name of names) {
    if (fitting.length === rolesMax) break;
    if (typeof name !== 'string' || name === '') continue;
    bytes += bytesOf(JSON.stringify(name)) + ','.length;
    if (bytes > rolesBytesMax) break;
    fitting.push(name);
  }
  return fitting;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function isCode(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= codeLengthMax;
}

function isWallMs(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= wallMsMax;
}
