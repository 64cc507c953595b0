// Writes the state of a member to disk, before other members learn of it: its votes and its
// commitments.
import { type Host, type Instant, sleep } from '@leadership/core/adapter';
import { after, type HealthReporter, never } from '@leadership/core/internal/engine';
import { hardStateOf } from '../protocol/hard-state.ts';
import { isWorthKeeping, memoryOf } from '../protocol/memory.ts';
import type { NerioOutput } from '../protocol/output.ts';
import type { HardState, MemberState } from '../protocol/state.ts';
import type { Pin } from '../transport/transport.ts';
import type { Durability } from './outbox.ts';
import type { StateStore } from './state-store.ts';

/** The parts of a writer. */
export interface DurableWriterParts {
  readonly host: Host;
  readonly health: HealthReporter;
  readonly store: StateStore | undefined;
  /** Whether grants are stored too, so that a voter grants at once after a restart (N4). */
  readonly keepsGrants: boolean;
  readonly group: string;
  /** The values on which all members agree (R3). */
  readonly pin: Pin;
  readonly thresholdMs: number;
  /** `state`: the current state. `now`: the lease clock. */
  readonly state: () => MemberState;
  readonly now: () => number;
  /** A write has completed. */
  readonly kept: () => void;
  readonly signal: AbortSignal;
}

/** The delay before the first retry of a failed write, as a share of T. */
const firstWaitShare = 1 / 20;

/**
 * Stores the state. While writes fail, no new output that depends on them is performed. If writes
 * are slow, one covers all states that came meanwhile.
 */
export class DurableWriter implements Durability {
  durable = 0;
  /**
   * From then on the disk has completed no write for T although one is due; `never` while no write
   * is due.
   */
  givesUpAt: Instant = never;
  /**
   * Whether the next incarnation finds the grants of this one. Always `true` where grants are not
   * stored.
   */
  hasGrants: boolean;
  readonly #parts: DurableWriterParts;
  #hardState: HardState;
  #wanted = 0;
  #isWriting = false;

  /** `initial`: the state of this incarnation before its first step. */
  constructor(parts: DurableWriterParts, initial: MemberState) {
    this.#parts = parts;
    this.#hardState = hardStateOf(initial);
    // A voter that has nothing to learn has read its grants from the disk.
    this.hasGrants =
      parts.store === undefined || !parts.keepsGrants || initial.learning === undefined;
  }

  /**
   * Notes the result of a step. Returns the version that must be on disk before its outputs are
   * performed.
   */
  note(before: MemberState, after: MemberState, outputs: readonly NerioOutput[]): number {
    const { store, keepsGrants } = this.#parts;
    const hardState = lastHardState(outputs);
    if (hardState !== undefined) this.#hardState = hardState;
    const isNew = hardState !== undefined || (keepsGrants && isWorthKeeping(before, after));
    if (store === undefined || !isNew) return this.#wanted;
    if (this.durable === this.#wanted) this.givesUpAt = this.#inT();
    this.#wanted += 1;
    if (!this.#isWriting) void this.#write(store);
    return this.#wanted;
  }

  async #write(store: StateStore): Promise<void> {
    const { host, health, thresholdMs, signal } = this.#parts;
    let waitMs = thresholdMs * firstWaitShare;
    this.#isWriting = true;
    while (this.durable < this.#wanted && !signal.aborted) {
      const version = this.#wanted;
      try {
        const image = this.#image();
        await store.write(image);
        this.durable = version;
        this.hasGrants ||= image.memory !== undefined;
        this.givesUpAt = version < this.#wanted ? this.#inT() : never;
        health.mend('disk');
        waitMs = thresholdMs * firstWaitShare;
        this.#parts.kept();
      } catch (error) {
        health.raise('disk', error);
        await sleep(host.clock, waitMs * (0.5 + host.random() / 2), signal);
        waitMs = Math.min(2 * waitMs, thresholdMs);
      }
    }
    this.#isWriting = false;
  }

  #inT(): Instant {
    const { host, thresholdMs } = this.#parts;
    return after(host.clock.now(), thresholdMs);
  }

  #image(): Parameters<StateStore['write']>[0] {
    const { state, group, pin, keepsGrants, now } = this.#parts;
    const current = state();
    const { member, life } = current.self;
    const memory = keepsGrants ? memoryOf(current, now()) : undefined;
    return {
      format: 1,
      group,
      member,
      life,
      hardState: this.#hardState,
      pin,
      ...(memory && { memory }),
    };
  }
}

function lastHardState(outputs: readonly NerioOutput[]): HardState | undefined {
  return outputs.findLast((output) => output.kind === 'persist')?.hardState;
}
