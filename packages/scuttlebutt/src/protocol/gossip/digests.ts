// Summarises for a peer what this member knows (a digest): the rows of a range of names, so that
// the receiver sees which members of that range the sender does not know. A digest that does not
// fit into one datagram becomes several ranges.

import { type GossipContext, isSpread, rowOf, selfOf } from './context.ts';
import { type Delta, lagsOf, pack } from './deltas.ts';
import { mergeDelta, mergeRow } from './merging.ts';
import { hasMore, type Node, type Row } from './node.ts';
import { random } from './peers.ts';
import { headerBytes, rowBytes, textBytes } from './size.ts';

/** The names that a digest covers: from `from` to before `to`, or the members of the election. */
interface Range {
  readonly from: string;
  /** `undefined`: to the last name. */
  readonly to: string | undefined;
}

/** The rows of one range. */
export interface Digest {
  readonly kind: 'digest';
  /** `undefined`: the rows are a selection, and absent members mean nothing. */
  readonly range: Range | undefined;
  readonly rows: readonly Row[];
}

/** The answer to a digest: what its sender lacks, and what the sender of this lacks. */
export interface Reply<Declaration> {
  readonly kind: 'reply';
  readonly deltas: readonly Delta<Declaration>[];
  readonly lacks: readonly Row[];
}

/** The deltas that the receiver lacks. */
export interface Deltas<Declaration> {
  readonly kind: 'deltas';
  readonly deltas: readonly Delta<Declaration>[];
}

/** The body of a message between members. */
export type Body<Declaration> = Digest | Reply<Declaration> | Deltas<Declaration>;

/** The bytes that remain for the body of a message of this member. */
function roomOf<Declaration>(context: GossipContext<Declaration>): number {
  return context.config.budget - headerBytes - rowBytes(rowOf(context, selfOf(context)));
}

/** Returns the digest of everything that this member passes on, in as many parts as it needs. */
export function digestsOf<Declaration>(context: GossipContext<Declaration>): readonly Digest[] {
  const rows = [...context.nodes.values()]
    .filter((node) => isSpread(context, node))
    .map((node) => rowOf(context, node))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const all = ranged(rows, roomOf(context));
  const { digestsMax } = context.config;
  if (all.length <= digestsMax) return all;
  const start = context.cursor % all.length;
  context.cursor = (start + digestsMax) % all.length;
  return [...all.slice(start), ...all.slice(0, start)].slice(0, digestsMax);
}

function ranged(rows: readonly Row[], room: number): readonly Digest[] {
  const parts: Row[][] = [[]];
  let bytes = 0;
  rows.forEach((row, index) => {
    // A part names its first row, and the first row of the next part.
    const end = textBytes(rows[index + 1]?.name ?? '');
    if (bytes > 0 && bytes + rowBytes(row) + end > room) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(row);
    bytes += rowBytes(row) + (bytes === 0 ? textBytes(row.name) : 0);
  });
  return parts.map((part, index) => ({
    kind: 'digest',
    range: { from: index === 0 ? '' : (part[0]?.name ?? ''), to: parts[index + 1]?.[0]?.name },
    rows: part,
  }));
}

/** Returns a digest of some members only, as far as they fit. */
export function selectionOf<Declaration>(
  context: GossipContext<Declaration>,
  names: Iterable<string>,
): Digest {
  const rows: Row[] = [];
  let room = roomOf(context);
  for (const name of names) {
    const node = context.nodes.get(name);
    if (node === undefined || !isSpread(context, node)) continue;
    const row = rowOf(context, node);
    room -= rowBytes(row);
    if (room < 0) break;
    rows.push(row);
  }
  return { kind: 'digest', range: undefined, rows };
}

/** Merges a digest and returns the answer. `selected`: the members that a selection is about. */
export function answerDigest<Declaration>(
  context: GossipContext<Declaration>,
  { range, rows }: Digest,
  selected: Iterable<string>,
): Reply<Declaration> {
  const before = rows.filter((row) => hasMore(row, context.nodes.get(row.name)));
  for (const row of rows) mergeRow(context, row, false);
  const byName = new Map(rows.map((row) => [row.name, row]));
  const covered = range === undefined ? ofNames(context, selected) : within(context, range);
  const room = roomOf(context);
  const turn = Math.floor(random(context) * rows.length);
  const { deltas, bytes } = pack(context, lagsOf(context, covered, byName), room, turn);
  return { kind: 'reply', deltas, lacks: lacking(context, before, room - bytes) };
}

/** The own rows of the members of which the peer has more. */
function lacking<Declaration>(
  context: GossipContext<Declaration>,
  rows: readonly Row[],
  space: number,
): readonly Row[] {
  const lacks: Row[] = [];
  let room = space;
  for (const { name } of rows) {
    const node = context.nodes.get(name);
    if (node === undefined || name === context.config.member) continue;
    const row = rowOf(context, node);
    room -= rowBytes(row);
    if (room < 0) break;
    lacks.push(row);
  }
  return lacks;
}

function* ofNames<Declaration>(
  { nodes }: GossipContext<Declaration>,
  names: Iterable<string>,
): Generator<Node<Declaration>, void, undefined> {
  for (const name of names) {
    const node = nodes.get(name);
    if (node) yield node;
  }
}

function* within<Declaration>(
  { nodes }: GossipContext<Declaration>,
  { from, to }: Range,
): Generator<Node<Declaration>, void, undefined> {
  for (const node of nodes.values())
    if (node.name >= from && (to === undefined || node.name < to)) yield node;
}

/** Merges an answer and returns what its sender lacks; `undefined` if that is nothing. */
export function answerReply<Declaration>(
  context: GossipContext<Declaration>,
  { deltas, lacks }: Reply<Declaration>,
): Deltas<Declaration> | undefined {
  for (const delta of deltas) mergeDelta(context, delta);
  const byName = new Map(lacks.map((row) => [row.name, row]));
  const nodes = ofNames(context, byName.keys());
  const turn = Math.floor(random(context) * lacks.length);
  const packed = pack(context, lagsOf(context, nodes, byName), roomOf(context), turn);
  return packed.deltas.length === 0 ? undefined : { kind: 'deltas', deltas: packed.deltas };
}
