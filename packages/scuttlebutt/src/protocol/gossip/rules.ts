// The rules of the gossip (S1 to S3), one function each, so that a mutant replaces exactly one.
// Rule numbers such as S1: docs/reference/rules.md.

import { beaten, type Pulse } from '@leadership/core/internal/engine';
import type { Node } from './node.ts';

/** Every rule of the gossip that is a number or a comparison. */
export interface GossipRules {
  /** S3: the least advance of another member's clock during `elapsedMs` of the own clock. */
  slowed(elapsedMs: number, r: number): number;
  /** S3: the bound on a member's clock, from the own estimate and a received one. */
  merged(estimate: number, received: number): number;
  /** S3: the clock in a forwarded row. */
  forwarded(estimate: number, received: number): number;
  /** S1: whether a received number is newer than the known one. */
  isNewer(received: number, known: number): boolean;
  /** S1: whether the state of an earlier generation is dropped when a later one appears. */
  readonly resets: boolean;
  /**
   * S1: whether a silent member is still passed on. One of which only the name has arrived is not:
   * otherwise each member that starts would count its silence anew.
   */
  isSpread(silentMs: number, forgetAfterMs: number, hasLived: boolean): boolean;
  /** S1: whether a silent member is removed. */
  isForgotten(silentMs: number, forgetAfterMs: number): boolean;
  /** S1: whether a row of a removed member shows that it lives. */
  revives(received: Pick<Node<unknown>, 'generation' | 'beat'>, forgotten: Forgotten): boolean;
  /** S2: whether a member counts as alive when its name is first received. */
  isAliveAtFirst(isDirect: boolean): boolean;
  /** S2: what a further beat shows of a member, and until when that lasts. */
  beaten(pulse: Pulse, now: number, expectedMs: number): Pulse;
}

/** A removed member. */
export interface Forgotten {
  readonly generation: number;
  readonly beat: number;
  readonly until: number;
}

/** The rules of the protocol. */
export const gossipRules: GossipRules = {
  slowed: (elapsedMs, r) => elapsedMs * (1 - 2 * r),
  merged: (estimate, received) => Math.max(estimate, received),
  forwarded: (estimate, received) => Math.max(estimate, received),
  isNewer: (received, known) => received > known,
  resets: true,
  isSpread: (silentMs, forgetAfterMs, hasLived) => hasLived && silentMs < forgetAfterMs / 2,
  isForgotten: (silentMs, forgetAfterMs) => silentMs >= forgetAfterMs,
  revives: (received, forgotten) =>
    received.generation > forgotten.generation ||
    (received.generation === forgotten.generation && received.beat > forgotten.beat),
  isAliveAtFirst: (isDirect) => isDirect,
  beaten,
};
