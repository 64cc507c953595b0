// A row of a group as a `Lease` object: its name, its labels and annotations, and what `kubectl get lease`
// shows of it. No member reads what is for people only.
import { createHash } from 'node:crypto';
import { jsonFields } from '@leadership/core/adapter';

const domain = 'leadership-js.github.io';
/** The label that selects the objects of a group. */
const groupLabel = `${domain}/group`;
/** The annotations: the name of the row, its text, and what its last change notifies others of. */
const rowKey = `${domain}/row`;
const textKey = `${domain}/text`;
const notificationKey = `${domain}/notification`;

/** What an object shows to people. */
interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** An object, as far as it is used. */
export interface LeaseObject {
  readonly metadata?: {
    readonly name?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: LeaseSpec;
}

/** A row that was found. */
export interface FoundRow {
  readonly name: string;
  readonly text: string;
  readonly object: LeaseObject;
}

/** All rows at one instant. */
export interface Listing {
  /** The rows, by their names. */
  readonly rows: ReadonlyMap<string, FoundRow>;
  /** The version of the store. A smaller one than before shows that changes were lost. */
  readonly revision: bigint;
}

/** A row to write. */
export interface NewRow {
  readonly name: string;
  readonly text: string;
  readonly notification: string | undefined;
  /** Returns the text of another row of the group. */
  readonly textOf: (name: string) => string | undefined;
  /** The object that it replaces. */
  readonly before: LeaseObject | undefined;
  readonly now: Date;
}

/** A group or an identity that may stand in a name as it is: it has no dot. */
const plainLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** A row whose name differs from all others in letters, digits and hyphens. */
const plainRow = /^([a-z]{1,20})(?:#([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)(?:\/(\d{1,9}))?)?$/;

/**
 * Returns the name of the object of a row, which is a subdomain of DNS: `billing.partition.3`. Where the
 * group or the row has other characters, a hash of both stands for the row.
 */
export function objectName(group: string, row: string): string {
  const parts = plainRow.exec(row)?.slice(1).filter(Boolean);
  if (parts !== undefined && plainLabel.test(group)) return [group, ...parts].join('.');
  return `${slug(group)}.h-${hashOf([group, row])}`;
}

/** Returns the selector of the objects of a group. */
export function selectorOf(group: string): string {
  return `${groupLabel}=${groupValue(group)}`;
}

/** Returns the row that an object is; `undefined` if it is none of this group, as when it was copied. */
export function rowIn(group: string, object: LeaseObject): FoundRow | undefined {
  const { name, annotations = {}, labels = {} } = object.metadata ?? {};
  const { [rowKey]: row, [textKey]: text = '' } = annotations;
  const isRow =
    row !== undefined &&
    name === objectName(group, row) &&
    labels[groupLabel] === groupValue(group);
  return isRow ? { name: row, text, object } : undefined;
}

/** Returns the version of an object or a list; 0 if it has none. */
export function versionOf({ metadata }: Pick<LeaseObject, 'metadata'>): bigint {
  return BigInt(metadata?.resourceVersion ?? 0);
}

/**
 * Returns whether the store has lost changes since an earlier listing. Versions only grow, so what has changed
 * since then has a greater one than that listing. A restored backup may continue with a greater version, but
 * its objects have old ones.
 */
export function wentBack(before: Listing, now: Listing): boolean {
  const isOld = (row: FoundRow): boolean =>
    versionOf(row.object) <= before.revision && !isSame(row, before);
  return now.revision < before.revision || Array.from(now.rows.values()).some(isOld);
}

/** Returns whether a listing shows the same version of the object. */
export function isSame({ name, object }: FoundRow, { rows }: Listing): boolean {
  return rows.get(name)?.object.metadata?.resourceVersion === object.metadata?.resourceVersion;
}

/** Returns what the last change of an object notifies others of. */
export function notificationIn({ object }: FoundRow): string | undefined {
  return object.metadata?.annotations?.[notificationKey];
}

/** Returns the object of a row. */
export function objectOf(group: string, row: NewRow): LeaseObject {
  const { name, text, notification, before } = row;
  const { uid, resourceVersion } = before?.metadata ?? {};
  const annotations = {
    [rowKey]: name,
    [textKey]: text,
    ...(notification !== undefined && { [notificationKey]: notification }),
  };
  const object = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: objectName(group, name),
      labels: { [groupLabel]: groupValue(group), 'app.kubernetes.io/managed-by': 'leadership' },
      annotations,
      // The server makes the change only if both are those of the object.
      ...(before && { uid, resourceVersion }),
    },
    spec: specOf(row),
  };
  return object;
}

/** Returns what people see: the member that a session or a partition belongs to, and since when. */
function specOf(row: NewRow): LeaseSpec {
  const { member, thresholdMs } = ownerOf(row) ?? {};
  if (typeof member !== 'string' || member === '') return {};
  const { holderIdentity, acquireTime, leaseTransitions = 0 } = row.before?.spec ?? {};
  const time = row.now.toISOString().replace('Z', '000Z');
  const common = { holderIdentity: member, renewTime: time, ...durationOf(thresholdMs) };
  if (acquireTime === undefined) return { ...common, acquireTime: time, leaseTransitions };
  if (holderIdentity === member) return { ...common, acquireTime, leaseTransitions };
  return { ...common, acquireTime: time, leaseTransitions: leaseTransitions + 1 };
}

/** Returns the fields of the session that a row is, or that owns it. */
function ownerOf({ name, text, textOf }: NewRow): Readonly<Record<string, unknown>> | undefined {
  const fields = jsonFields(text) ?? {};
  if (name.startsWith('session#')) return fields['kind'] === 'live' ? fields : undefined;
  const { session } = fields;
  if (!name.startsWith('partition#') || typeof session !== 'string') return undefined;
  return { member: session, ...jsonFields(textOf(`session#${session}`) ?? '') };
}

/** The server takes whole seconds from 1 up. */
function durationOf(thresholdMs: unknown): Pick<LeaseSpec, 'leaseDurationSeconds'> {
  const seconds = Math.ceil(Number(thresholdMs) / 1000);
  return seconds > 0 && seconds < 2 ** 31 ? { leaseDurationSeconds: seconds } : {};
}

function groupValue(group: string): string {
  return plainLabel.test(group) ? group : `${slug(group)}.${hashOf([group]).slice(0, 20)}`;
}

/** Returns what letters and digits begin a text, for people. */
function slug(text: string): string {
  return `g${text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, 30)}`;
}

function hashOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 40);
}
