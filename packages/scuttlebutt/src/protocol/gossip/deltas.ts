// Answers a peer with the entries that it lacks (a delta), packed into one datagram. A member's
// entries are sent in the order of their versions, so that a cut leaves no gap: the receiver has
// everything up to the last version.

import { type GossipContext, isSpread, rowOf } from './context.ts';
import { isBehind, type Node, type Row } from './node.ts';
import { entryBytes, rowBytes } from './size.ts';

/** A changed entry. */
export interface DeltaEntry {
  readonly key: string;
  readonly value: string | undefined;
  readonly version: number;
}

/** The part of one member that a peer lacks. */
export interface Delta<Declaration> {
  /** The `version` in it is the last one of these entries. */
  readonly row: Row;
  readonly declaration: Declaration | undefined;
  /** The entries are all changes after this version, up to the row's. */
  readonly since: number;
  readonly entries: readonly DeltaEntry[];
}

/** A member of which a peer lacks something, and the peer's row of it. */
interface Lag<Declaration> {
  readonly node: Node<Declaration>;
  readonly row: Row | undefined;
  readonly priority: number;
}

/** The fixed part of a delta: the version before the entries, and two counts. */
const deltaBytes = 8;
/** A member that the peer does not know precedes all others. */
const unknownFirst = 2 ** 50;
/** A declaration that the peer lacks precedes entries: elections wait for it. */
const declarationFirst = 2 ** 45;

/** Returns the members among `nodes` of which the peer lacks something. */
export function lagsOf<Declaration>(
  context: GossipContext<Declaration>,
  nodes: Iterable<Node<Declaration>>,
  rows: ReadonlyMap<string, Row>,
): readonly Lag<Declaration>[] {
  const lags: Lag<Declaration>[] = [];
  for (const node of nodes) {
    const row = rows.get(node.name);
    if (!isBehind(row, node) || !isSpread(context, node)) continue;
    lags.push({ node, row, priority: priorityOf(node, row) });
  }
  return lags;
}

/** The order: members that the peer does not know, declarations, then the most versions. */
function priorityOf(node: Node<unknown>, row: Row | undefined): number {
  if (row === undefined || row.generation !== node.generation) return unknownFirst;
  const behind = node.version - row.version;
  return row.sequence < node.sequence ? declarationFirst + behind : behind;
}

/** The deltas that fit into the datagram. */
export interface Packed<Declaration> {
  readonly deltas: readonly Delta<Declaration>[];
  readonly bytes: number;
}

/**
 * Packs deltas into `budget` bytes. Members that the peer lacks equally follow each other in an
 * order that changes from round to round, so that none is always cut off.
 */
export function pack<Declaration>(
  context: GossipContext<Declaration>,
  lags: readonly Lag<Declaration>[],
  budget: number,
  turn: number,
): Packed<Declaration> {
  const start = lags.length === 0 ? 0 : turn % lags.length;
  const ordered = [...lags.slice(start), ...lags.slice(0, start)].sort(
    (a, b) => b.priority - a.priority,
  );
  const deltas: Delta<Declaration>[] = [];
  let bytes = 0;
  for (const lag of ordered) {
    const packed = packOne(context, lag, budget - bytes, deltas.length === 0);
    if (packed === undefined) continue;
    deltas.push(packed.delta);
    bytes += packed.bytes;
  }
  return { deltas, bytes };
}

interface PackedOne<Declaration> {
  readonly delta: Delta<Declaration>;
  readonly bytes: number;
}

function packOne<Declaration>(
  context: GossipContext<Declaration>,
  { node, row: known }: Lag<Declaration>,
  room: number,
  isFirst: boolean,
): PackedOne<Declaration> | undefined {
  const row = rowOf(context, node);
  const peers = known?.generation === node.generation ? known : noRow;
  const base = rowBytes(row) + deltaBytes;
  if (base > room) return undefined;
  const lacked = peers.sequence < node.sequence ? node.declaration : undefined;
  const size = lacked === undefined ? 0 : context.sizeOf(lacked);
  // A declaration that is larger than a datagram is sent alone: the transport then uses a stream.
  const isFitting = base + size <= room || isFirst;
  const before = base + (isFitting ? size : 0);
  const since = sinceOf(peers, node);
  const { entries, version, bytes } = packEntries(node, since, room - before);
  const sequence = isFitting ? node.sequence : peers.sequence;
  const declaration = isFitting ? lacked : undefined;
  const delta = { row: { ...row, version, sequence }, declaration, since, entries };
  return { delta, bytes: before + bytes };
}

/** A peer that knows nothing of this generation. */
const noRow: Pick<Row, 'sequence' | 'version' | 'floor'> = { sequence: 0, version: 0, floor: 0 };

interface PackedEntries {
  readonly entries: readonly DeltaEntry[];
  /** The peer has all changes up to this version then. */
  readonly version: number;
  readonly bytes: number;
}

function packEntries(node: Node<unknown>, since: number, room: number): PackedEntries {
  const entries: DeltaEntry[] = [];
  let bytes = 0;
  for (const change of changesAfter(node, since)) {
    const size = entryBytes(change.key, change.value, change.version);
    if (bytes + size > room) return { entries, version: entries.at(-1)?.version ?? since, bytes };
    bytes += size;
    entries.push(change);
  }
  return { entries, version: Math.max(node.version, since), bytes };
}

/** A peer that may have missed removed tombstones gets everything again. */
function sinceOf(known: Pick<Row, 'version' | 'floor'>, node: Node<unknown>): number {
  return known.version < node.floor && known.floor < node.floor ? 0 : known.version;
}

function changesAfter({ entries }: Node<unknown>, since: number): readonly DeltaEntry[] {
  const changes: DeltaEntry[] = [];
  for (const [key, { value, version }] of entries)
    if (version > since) changes.push({ key, value, version });
  return changes.sort((a, b) => a.version - b.version);
}
