// The texts of rows. Every text is unique: it has the id of an attempt that is used once. The end of a
// session has none, because nothing follows it, and all who write it may write the same.

import {
  isFields,
  isThresholdMs,
  isToken,
  type JsonFields,
  jsonFields,
} from '../engine/envelope.ts';
import { type Presence, presenceIn } from '../engine/presence.ts';
import { hasSum, withSum } from './sum.ts';

/** The contents of a row of a partition. Its life is new whenever the row was missing. */
export type OwnershipRecord =
  /** The row was created: no session has owned the partition in this life. */
  | { readonly kind: 'none'; readonly life: string; readonly version: number }
  | {
      /** A session claimed it; or it was released, to that session or to none. */
      readonly kind: 'hold' | 'release';
      readonly life: string;
      readonly version: number;
      /** The session that owns it. */
      readonly session: string | undefined;
      /** The version of that session on which the record rests (M6). */
      readonly seen: number;
      /** The fencing number of the term of that session, or of the last one. */
      readonly token: bigint;
      /** The incarnation that has released it. */
      readonly from?: string;
      /**
       * Whether the term was lost before it was released, because its work had not ended in time: in the
       * release, and in a claim over it.
       */
      readonly isLost?: boolean;
      /** Whether somebody else than a member wrote the text: it lacks its sum (M5). */
      readonly isByHand?: true;
    };

/** The record by which a session leads a partition. */
export interface Basis extends Pick<OwnershipRecord, 'life' | 'version'> {
  readonly session: string;
}

/** The contents of a row of a session. */
export interface SessionRecord {
  readonly kind: 'live' | 'ended' | 'deposed';
  readonly version: number;
  readonly thresholdMs: number;
  /** Whether the member is a candidate for more partitions. */
  readonly isStanding: boolean;
  /** The partitions that the member asks their owners for. */
  readonly wants: readonly number[];
  readonly presence: Presence;
  /** The greatest number of partitions that the member leads at once (M13). Absent: no limit. */
  readonly partitionsMax?: number;
  /**
   * When it was written, by the wall clock of its member: milliseconds since 1970. For people, who would
   * otherwise wait for the next one: no rule reads it. Absent: not known.
   */
  readonly at?: number;
  /** Whether its process is proved dead (M10). */
  readonly isProved: boolean;
}

/** The contents of the row of a candidate without a session. */
export type NoteRecord = Pick<SessionRecord, 'thresholdMs' | 'presence' | 'partitionsMax' | 'at'>;

/** The name of the row with the values that all members of the group must have (R3). */
export const pinName = 'pin';

/** Longer texts are not read. Characters. */
const textMax = 65_536;

/**
 * The greatest version of a row. A row that changes every millisecond reaches it after 142,000 years;
 * a greater one leaves no room for later versions.
 */
const versionMax = 2 ** 52;

/**
 * Longer lives and names of sessions are not read, so that what a member writes over a row, which
 * repeats them, is never a text that is too long. Characters.
 */
const idMax = 4096;

/** Returns the name of the row of a partition, whose text {@link ownershipToken} reads. */
export function partitionName(partition: number): string {
  return `partition#${partition}`;
}

export function sessionName(session: string): string {
  return `session#${session}`;
}

export function noteName(incarnation: string): string {
  return `member#${incarnation}`;
}

/** Returns the name of the row of a text that a package keeps in the group. */
export function keptName(name: string): string {
  return `kept#${name}`;
}

/** The subject of a row: a partition, a session, a member, or a text that the machine does not read. */
export type RowName =
  | { readonly kind: 'partition'; readonly partition: number }
  | { readonly kind: 'session' | 'member'; readonly id: string }
  | { readonly kind: 'pin' | 'kept' | 'unknown' };

/** Parses the name of a row. */
export function parseName(name: string): RowName {
  if (name === pinName) return { kind: 'pin' };
  const hash = name.indexOf('#');
  const [kind, id] = [name.slice(0, hash), name.slice(hash + 1)];
  if (kind === 'partition' && /^\d{1,6}$/.test(id)) return { kind, partition: Number(id) };
  if ((kind === 'session' || kind === 'member') && id.length <= idMax) return { kind, id };
  return { kind: kind === 'kept' ? kind : 'unknown' };
}

/** Returns the incarnation of a session, as `INCARNATION/NUMBER`. */
export function incarnationOf(session: string): string {
  return session.slice(0, Math.max(0, session.lastIndexOf('/')));
}

/**
 * Parses the text of a partition. A text that cannot be read says nothing of an owner, so the
 * partition is claimed as late as a row that was just created: an earlier owner has read the text by
 * then (M5).
 */
export function parseOwnership(text: string): OwnershipRecord & { readonly isUnreadable?: true } {
  const { kind, life, version, session, seen, token, from, isLost } = fieldsOf(text) ?? {};
  const unreadable = { kind: 'none', life: '', version: 0, isUnreadable: true } as const;
  if (!isId(life) || !isVersion(version)) return unreadable;
  if (kind === 'none') return { kind, life, version };
  if (!isToken(token) || !isOwner(kind, session)) return unreadable;
  return {
    // A kind that this release does not know is owned by the session that it names.
    kind: kind === 'release' ? kind : 'hold',
    life,
    version,
    session,
    seen: isVersion(seen) ? seen : -1,
    token: BigInt(String(token)),
    ...(kind === 'release' && typeof from === 'string' && { from }),
    ...(isLost === true && { isLost }),
    ...remarkOn(text),
  };
}

/** A text without its sum was written by hand. */
function remarkOn(text: string): { readonly isByHand?: true } {
  return hasSum(text) ? {} : { isByHand: true };
}

/** A release need not name a session. */
function isOwner(kind: unknown, session: unknown): session is string | undefined {
  return isId(session) || (session === undefined && kind === 'release');
}

/**
 * Parses the text of a session. An unknown kind is alive, and its T the longest that there is. So is an end
 * without its sum: somebody wrote it by hand, while the session may lead (M4).
 */
export function parseSession(text: string, thresholdMsMax: number): SessionRecord {
  const fields = fieldsOf(text) ?? {};
  const { kind, version, wants } = fields;
  const isEnd = (kind === 'ended' || kind === 'deposed') && hasSum(text);
  return {
    kind: isEnd ? kind : 'live',
    // A living session whose end would have no version is read like one without a version.
    version: isVersion(version, isEnd ? 0 : 1) ? version : 0,
    isStanding: fields['isStanding'] === true,
    wants: Array.isArray(wants) ? wants.filter((want) => isVersion(want)) : [],
    isProved: fields['isProved'] === true,
    ...noteIn(fields, thresholdMsMax),
  };
}

/** Parses the text of a candidate without a session. */
export function parseNote(text: string, thresholdMsMax: number): NoteRecord {
  return noteIn(fieldsOf(text) ?? {}, thresholdMsMax);
}

/** A limit that is wrong counts as absent: it is its own member that keeps it (M13). */
function noteIn(fields: JsonFields, thresholdMsMax: number): NoteRecord {
  const { partitionsMax, thresholdMs, at } = fields;
  const isLimit = isVersion(partitionsMax) && partitionsMax > 0;
  return {
    thresholdMs: isThresholdMs(thresholdMs) ? Number(thresholdMs) : thresholdMsMax,
    presence: presenceIn(fields),
    ...(isLimit && { partitionsMax }),
    ...(isVersion(at) && { at }),
  };
}

/**
 * Returns the token of the term that a text lets a session hold, if it is that of a partition: the
 * number with which a store fences.
 */
export function ownershipToken(text: string): bigint | undefined {
  const record = parseOwnership(text);
  return record.kind === 'none' || record.session === undefined ? undefined : record.token;
}

/** Returns the token of a record; 0 if it has none. */
export function tokenOf(record: OwnershipRecord | undefined): bigint {
  return record === undefined || record.kind === 'none' ? 0n : record.token;
}

export function noneText(partition: number, life: string): string {
  return JSON.stringify({ kind: 'none', partition, life, version: 0 });
}

/**
 * Returns the life and the version of the record that replaces another one. If no later version could
 * be read, a new life begins, which members doubt as they doubt a row that was deleted (M6). `id` is
 * used once.
 */
export function following(
  { life, version }: Pick<OwnershipRecord, 'life' | 'version'>,
  id: string,
): Pick<OwnershipRecord, 'life' | 'version'> {
  return isVersion(version, 1) ? { life, version: version + 1 } : { life: id, version: 0 };
}

/** Returns the text of a hold or a release. `id` is used once. */
export function ownershipText(
  partition: number,
  { token, ...record }: OwnershipRecord & { readonly kind: 'hold' | 'release' },
  id: string,
): string {
  return withSum(JSON.stringify({ ...record, partition, token: String(token), id }));
}

export function liveText(
  { presence, ...record }: Omit<SessionRecord, 'kind' | 'isProved'>,
  id: string,
): string {
  return JSON.stringify({ kind: 'live', ...record, ...presence, id });
}

/** Returns the text that ends a session. All members write the same text for the same version. */
export function endText(
  kind: 'ended' | 'deposed',
  session: string,
  version: number,
  isProved = false,
): string {
  return withSum(JSON.stringify({ kind, session, version, ...(isProved && { isProved }) }));
}

export function noteText({ presence, ...record }: NoteRecord, id: string): string {
  return JSON.stringify({ ...record, ...presence, id });
}

/** Returns the text of the pin. `lease` is what makes earlier releases refuse the group. */
export function pinText(
  partitions: number,
  thresholdMsMax: number,
  pinned: Readonly<Record<string, string>> | undefined,
  id: string,
): string {
  return JSON.stringify({
    lease: 'session',
    partitions,
    thresholdMsMax,
    ...(pinned && { pinned }),
    id,
  });
}

/** The values of a pin (R3). */
export interface Pin {
  /** Whether the group has leases by session. */
  readonly hasSessions: boolean;
  readonly partitions: number;
  readonly thresholdMsMax: number;
  /** Further values, by option. */
  readonly pinned: JsonFields;
  /** Whether no release has written the text. */
  readonly isUnreadable?: true;
}

export function parsePin(text: string): Pin {
  const fields = fieldsOf(text);
  const { lease, partitions, thresholdMsMax, pinned } = fields ?? {};
  return {
    hasSessions: lease === 'session',
    partitions: Number(partitions),
    thresholdMsMax: Number(thresholdMsMax),
    pinned: isFields(pinned) ? pinned : {},
    ...(fields === undefined && { isUnreadable: true }),
  };
}

function fieldsOf(text: string): JsonFields | undefined {
  return text.length > textMax ? undefined : jsonFields(text);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= idMax;
}

/** Returns whether the value is a version that is read, and that number of later ones too. */
function isVersion(value: unknown, later = 0): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) + later < versionMax;
}
