// Warns of members whose wall clock differs: compares the wall clocks with which other members have
// started with the own one. Tokens are ordered by them once a majority of the voters has forgotten
// what it accepted (assumption `wall-clocks`). Rule numbers such as T1: docs/reference/rules.md.
import { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import { after, keepLatest } from '@leadership/core/internal/engine';
import type { Row } from '../protocol/gossip/node.ts';
import { shownThresholds, type TrackerParts } from './tracker-parts.ts';

/** The parts of the comparison. */
export interface WallClocksParts extends TrackerParts {
  readonly driftRate: number;
}

/** One life of a member. */
interface Seen {
  readonly generation: number;
  readonly since: Instant;
  /** The least lag of its clock behind the own one. Messages take time, which adds to it. */
  lagMs: number;
  isDone: boolean;
}

const microsPerMs = 1000;
/** The greatest number of members that are remembered. */
const membersMax = 1024;

/** Compares wall clocks, once for each life of each member. */
export class WallClocks {
  readonly #parts: WallClocksParts;
  readonly #seen = new Map<string, Seen>();

  constructor(parts: WallClocksParts) {
    this.#parts = parts;
  }

  /**
   * A member has sent its own row. Its wall clock has shown the generation when it started, and its
   * clock has run since then. Messages are compared for T, because the first ones may be late.
   */
  heard({ name, generation, clock }: Row): void {
    const { shell, thresholdMs, driftRate } = this.#parts;
    const now = shell.host.clock.now();
    const seen = this.#seenOf(name, generation, now);
    if (seen.isDone) return;
    const ownMs = shell.host.clock.wallMicros() / microsPerMs;
    seen.lagMs = Math.min(seen.lagMs, ownMs - (generation / microsPerMs + clock));
    const isLong = now - seen.since >= thresholdMs;
    // Either clock may have drifted since that member started.
    const limitMs = thresholdMs + 2 * driftRate * clock;
    const isOff = seen.lagMs < -limitMs || (isLong && seen.lagMs > limitMs);
    seen.isDone = isOff || isLong;
    if (isOff) this.#warn(name, seen.lagMs);
  }

  #seenOf(name: string, generation: number, now: Instant): Seen {
    const known = this.#seen.get(name);
    if (known?.generation === generation) return known;
    const seen: Seen = { generation, since: now, lagMs: Number.POSITIVE_INFINITY, isDone: false };
    keepLatest(this.#seen, name, seen, membersMax);
    return seen;
  }

  #warn(name: string, lagMs: number): void {
    const { shell, warnings, thresholdMs } = this.#parts;
    const shownMs = shownThresholds * thresholdMs;
    const side = lagMs > 0 ? 'behind' : 'ahead of';
    const sentence = `the wall clock with which member "${name}" started is ${Math.round(Math.abs(lagMs))} ms ${side} the one of this host, and clocks must differ by less than T = ${thresholdMs} ms: otherwise tokens may go back once a majority of the voters has restarted at one time. Set the wrong clock, then restart that member`;
    const error = new LeadershipError('assumption-broken', sentence);
    warnings.raise(`wall clock of ${name}`, error, after(shell.host.clock.now(), shownMs));
  }
}
