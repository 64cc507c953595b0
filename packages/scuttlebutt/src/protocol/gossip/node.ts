// One member's knowledge about another (S1). Only the owner writes its entries, its beat and its
// declaration; versions, beats and sequences grow within a generation. All times are readings of
// the observer's clock, in milliseconds since the start of its generation. Rule numbers such as S1:
// docs/reference/rules.md.

import type { Pulse } from '@leadership/core/internal/engine';

/** One entry of a member's state. */
export interface Entry {
  /** `undefined`: the key was deleted. */
  readonly value: string | undefined;
  readonly version: number;
  /** When this member received the deletion; 0 for a value. */
  readonly deletedAt: number;
}

/** How much of a member somebody knows: one line of a digest. */
export interface Row {
  readonly name: string;
  readonly generation: number;
  readonly beat: number;
  /** A lower bound on the owner's clock (S3). */
  readonly clock: number;
  readonly sequence: number;
  readonly version: number;
  /** Tombstones up to this version have been removed. */
  readonly floor: number;
}

/** A member, as this one knows it. `Declaration` is opaque to the gossip. */
export interface Node<Declaration> extends Row {
  /** When `clock` was the best bound on its clock. */
  readonly clockAt: number;
  /** The greatest clock that was received. */
  readonly receivedClock: number;
  readonly declaration: Declaration | undefined;
  readonly entries: ReadonlyMap<string, Entry>;
  /** `undefined` until it has shown that it lives. */
  readonly pulse: Pulse | undefined;
  /** The expected interval between its beats. Grows after a suspicion that was wrong. */
  readonly expectedMs: number;
  /** When its beat last grew, or when this member first received its name. */
  readonly lastBeatAt: number;
}

/** No entries. */
export const noEntries: ReadonlyMap<string, Entry> = new Map();

/** Returns a member of which only a row is known. */
export function newNode<Declaration>(
  { name, generation, beat, clock }: Row,
  now: number,
  expectedMs: number,
): Node<Declaration> {
  return {
    name,
    generation,
    beat,
    clock,
    clockAt: now,
    receivedClock: clock,
    sequence: 0,
    declaration: undefined,
    version: 0,
    floor: 0,
    entries: noEntries,
    pulse: undefined,
    expectedMs,
    lastBeatAt: now,
  };
}

/** Whether a member seems to live (S2). */
export function isAlive({ pulse }: Node<unknown>, now: number): boolean {
  return pulse !== undefined && now < pulse.suspectAt;
}

/** Returns whether a peer with that row lacks something of the node, beats included. */
export function isBehind(row: Row | undefined, node: Node<unknown>): boolean {
  if (row === undefined || row.generation !== node.generation)
    return row === undefined || row.generation < node.generation;
  return row.beat < node.beat || row.sequence < node.sequence || row.version < node.version;
}

/** Returns whether the row shows contents that the node lacks. Beats and clocks are in the row. */
export function hasMore(row: Row, node: Node<unknown> | undefined): boolean {
  if (node === undefined || row.generation > node.generation) return true;
  if (row.generation < node.generation) return false;
  return row.sequence > node.sequence || row.version > node.version;
}
