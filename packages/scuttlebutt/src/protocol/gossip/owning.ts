// Writes this member's own entries, which gossip carries to the others: only their owner writes
// them (S1). Rule numbers such as S1: docs/reference/rules.md.

import { type GossipContext, type GossipState, put, selfOf } from './context.ts';
import { isEntry } from './merging.ts';
import type { Entry, Node } from './node.ts';

/** Shows that this member lives. */
export function beat<Declaration>(context: GossipContext<Declaration>): void {
  const self = selfOf(context);
  put(context, { ...self, beat: self.beat + 1, lastBeatAt: context.now });
}

/** Publishes a declaration. */
export function declare<Declaration>(
  context: GossipContext<Declaration>,
  declaration: Declaration,
  sequence: number,
): void {
  put(context, { ...selfOf(context), declaration, sequence });
}

/** Writes or deletes an entry. Returns whether there is room for it. */
export function write<Declaration>(
  context: GossipContext<Declaration>,
  key: string,
  value: string | undefined,
): boolean {
  const self = selfOf(context);
  const before = self.entries.get(key);
  if (before?.value === value) return true;
  const isFull = before === undefined && self.entries.size >= context.config.keysMax;
  if (isFull || !isEntry(key, value)) return false;
  const version = self.version + 1;
  const entries = new Map(self.entries);
  entries.set(key, { value, version, deletedAt: value === undefined ? context.now : 0 });
  put(context, { ...self, entries, version });
  return true;
}

/** Removes the own tombstones that every member has had the time to receive. */
export function buryTombstones<Declaration>(context: GossipContext<Declaration>): void {
  const self = selfOf(context);
  const isOld = ({ value, deletedAt }: Entry): boolean =>
    value === undefined && context.now - deletedAt >= context.config.tombstoneMs;
  const buried = [...self.entries.values()].filter(isOld);
  if (buried.length === 0) return;
  const floor = Math.max(self.floor, ...buried.map(({ version }) => version));
  const entries = new Map([...self.entries].filter(([, entry]) => !isOld(entry)));
  put(context, { ...self, entries, floor });
}

/** Returns the gossip of a new generation with the entries of the one before, numbered again. */
export function withEntriesOf<Declaration>(
  fresh: GossipState<Declaration>,
  before: Node<Declaration>,
): GossipState<Declaration> {
  const entries = new Map<string, Entry>();
  for (const [key, { value }] of before.entries)
    if (value !== undefined) entries.set(key, { value, version: entries.size + 1, deletedAt: 0 });
  const nodes = new Map(fresh.nodes);
  const self = nodes.get(before.name);
  if (self) nodes.set(self.name, { ...self, entries, version: entries.size });
  return { ...fresh, nodes };
}
