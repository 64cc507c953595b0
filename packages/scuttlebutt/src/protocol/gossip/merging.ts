// Merges received gossip into what this member knows (S1). A number that is not newer than the
// known one is ignored, so that loss, repetition and reordering of messages do no harm. Rule
// numbers such as S1: docs/reference/rules.md.

import { type Draft, newPulse } from '@leadership/core/internal/engine';
import { clockOf, type GossipContext, put, selfOf } from './context.ts';
import type { Delta } from './deltas.ts';
import { type Entry, isAlive, type Node, newNode, noEntries, type Row } from './node.ts';
import { isPlausibleRow, nameBytesMax, utf8Length, valueBytesMax } from './plausible.ts';

/** A suspicion that was wrong doubles the expected interval, up to this number of rounds. */
const expectedRoundsMax = 4;

/**
 * Notes the generation, the beat and the clock in a row. `isDirect`: the member itself has sent it.
 */
export function mergeRow<Declaration>(
  context: GossipContext<Declaration>,
  row: Row,
  isDirect: boolean,
): void {
  const known = context.nodes.get(row.name);
  if (!isPlausibleRow(row, known, context.wallMicros)) {
    context.implausible += 1;
    return;
  }
  if (row.name === context.config.member) return mergeOwn(context, row);
  if (known === undefined) return mergeUnknown(context, row, isDirect);
  if (row.generation > known.generation) return restart(context, known, row, isDirect);
  if (row.generation === known.generation) updateNode(context, known, row, isDirect);
}

/** Another process uses this name, or an earlier life of this member had a faster wall clock. */
function mergeOwn<Declaration>(context: GossipContext<Declaration>, row: Row): void {
  const self = selfOf(context);
  const { generation } = self;
  if (row.generation > Math.max(generation, context.rivalGeneration))
    context.rivalGeneration = row.generation;
  if (row.generation !== generation) return;
  context.ownClockBound = Math.max(context.ownClockBound, row.clock);
  // Others would ignore this member until it has caught up: it was restored from a snapshot, or a
  // member has lied about it.
  const isBehind =
    row.beat > self.beat || row.sequence > self.sequence || row.version > self.version;
  if (isBehind) context.rivalGeneration = Math.max(context.rivalGeneration, generation + 1);
}

function mergeUnknown<Declaration>(
  context: GossipContext<Declaration>,
  row: Row,
  isDirect: boolean,
): void {
  const { rules, config, now } = context;
  const forgotten = context.forgotten.get(row.name);
  if (forgotten && now < forgotten.until && !rules.revives(row, forgotten)) return;
  if (context.nodes.size >= config.nodesMax && !config.voters.includes(row.name)) {
    context.implausible += 1;
    return;
  }
  addNode(context, row, isDirect);
}

function addNode<Declaration>(
  context: GossipContext<Declaration>,
  row: Row,
  isDirect: boolean,
): void {
  const { rules, config, now } = context;
  const node = newNode<Declaration>(row, now, config.intervalMs);
  const pulse = rules.isAliveAtFirst(isDirect) ? newPulse(now, config.intervalMs) : undefined;
  put(context, { ...node, pulse });
  context.changed.add(row.name);
}

function restart<Declaration>(
  context: GossipContext<Declaration>,
  known: Node<Declaration>,
  row: Row,
  isDirect: boolean,
): void {
  if (context.rules.resets) return addNode(context, row, isDirect);
  put(context, { ...known, generation: row.generation, beat: row.beat });
}

function updateNode<Declaration>(
  context: GossipContext<Declaration>,
  known: Node<Declaration>,
  row: Row,
  isDirect: boolean,
): void {
  const { rules, now } = context;
  const isNewBeat = rules.isNewer(row.beat, known.beat);
  const isNewClock = row.clock > known.receivedClock;
  const isFirstSign = isDirect && known.pulse === undefined;
  if (!isNewBeat && !isNewClock && !isFirstSign) return;
  // One copy for all changes: every row of every message comes here.
  const node: Draft<Node<Declaration>> = { ...known };
  if (isNewBeat) noteBeat(context, node, row.beat);
  else if (isFirstSign) node.pulse = newPulse(now, known.expectedMs);
  if (isNewClock) {
    node.clock = rules.merged(clockOf(context, known), row.clock);
    node.clockAt = now;
    node.receivedClock = row.clock;
  }
  if (isAlive(known, now) !== isAlive(node, now)) context.changed.add(node.name);
  put(context, node);
}

/** A further beat is a sign of life. */
function noteBeat<Declaration>(
  { rules, config, now }: GossipContext<Declaration>,
  node: Draft<Node<Declaration>>,
  beat: number,
): void {
  const { pulse } = node;
  node.beat = beat;
  node.lastBeatAt = now;
  if (pulse !== undefined && now >= pulse.suspectAt)
    node.expectedMs = Math.min(2 * node.expectedMs, expectedRoundsMax * config.intervalMs);
  node.pulse =
    pulse === undefined
      ? newPulse(now, node.expectedMs)
      : rules.beaten(pulse, now, node.expectedMs);
}

/** Merges a delta: its row, its declaration and its entries. */
export function mergeDelta<Declaration>(
  context: GossipContext<Declaration>,
  delta: Delta<Declaration>,
): void {
  const { row } = delta;
  if (row.name === context.config.member) return mergeRow(context, row, false);
  if (!isPlausibleDelta(context, delta)) {
    context.implausible += 1;
    return;
  }
  mergeRow(context, row, false);
  const known = context.nodes.get(row.name);
  if (known === undefined || known.generation !== row.generation) return;
  const declared = withDeclaration(context, known, delta);
  const node = withEntries(context, declared, delta);
  if (node !== known) put(context, node);
}

function withDeclaration<Declaration>(
  { rules, changed }: GossipContext<Declaration>,
  known: Node<Declaration>,
  { row, declaration }: Delta<Declaration>,
): Node<Declaration> {
  if (declaration === undefined || !rules.isNewer(row.sequence, known.sequence)) return known;
  changed.add(row.name);
  return { ...known, sequence: row.sequence, declaration };
}

function withEntries<Declaration>(
  context: GossipContext<Declaration>,
  known: Node<Declaration>,
  delta: Delta<Declaration>,
): Node<Declaration> {
  const { row, since } = delta;
  // A member that may have missed removed tombstones starts again from nothing.
  const isReset = row.floor > known.floor && known.version < row.floor && since === 0;
  const base = isReset ? { ...known, version: 0, entries: noEntries } : known;
  if (since > base.version || !context.rules.isNewer(row.version, base.version)) return known;
  const merged = withChanges(context, base, delta);
  if (merged.size > context.config.keysMax) {
    context.implausible += 1;
    return known;
  }
  const floor = Math.max(known.floor, row.floor);
  return { ...known, version: row.version, floor, entries: withoutBuried(merged, floor) };
}

function withChanges<Declaration>(
  { rules, now }: GossipContext<Declaration>,
  base: Node<Declaration>,
  { entries }: Delta<Declaration>,
): Map<string, Entry> {
  const merged = new Map(base.entries);
  for (const { key, value, version } of entries)
    if (rules.isNewer(version, base.version))
      merged.set(key, { value, version, deletedAt: value === undefined ? now : 0 });
  return merged;
}

function withoutBuried(entries: Map<string, Entry>, floor: number): Map<string, Entry> {
  for (const [key, { value, version }] of entries)
    if (value === undefined && version <= floor) entries.delete(key);
  return entries;
}

function isPlausibleDelta<Declaration>(
  context: GossipContext<Declaration>,
  { row, declaration, since, entries }: Delta<Declaration>,
): boolean {
  if (!isPlausibleRow(row, context.nodes.get(row.name), context.wallMicros)) return false;
  if (declaration !== undefined && !context.accepts(declaration, row.name)) return false;
  let last = since;
  return entries.every(({ key, value, version }) => {
    const isOrdered = version > last && version <= row.version;
    last = version;
    return isOrdered && isEntry(key, value);
  });
}

/** Whether a key and a value have sizes that a member may send. */
export function isEntry(key: string, value: string | undefined): boolean {
  return (
    key.length > 0 &&
    utf8Length(key) <= nameBytesMax &&
    (value === undefined || utf8Length(value) <= valueBytesMax)
  );
}
