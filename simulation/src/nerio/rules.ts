// The rules of Nerio that the simulated process applies outside the state machine, each of which a
// mutant can replace.
import type { Instant } from '@leadership/core/adapter';
import type { HardState, LeaseState, NerioRules } from '@leadership/nerio/internal/protocol';
import type { HostRules } from '../kernel/world.ts';

/** The rules outside the state machine and the host. */
export interface DriverRules {
  /** N8: whether an edict may be sent. Checked right before sending. */
  maySend(now: Instant, until: Instant): boolean;
  /** N2: whether a proof that waited for the disk is still valid in the current state. */
  proves(leaseState: LeaseState, token: bigint): boolean;
  /** N13: the hard state that a process finds on disk at its start. */
  storedState(state: HardState): HardState;
}

/** The rules of the protocol; tests replace single ones with mutants. */
export const driverRules: DriverRules = {
  maySend: (now, until) => now < until,
  proves: (leaseState, token) => leaseState.kind !== 'follower' && leaseState.token === token,
  storedState: (state) => state,
};

/** Rules that replace those of the protocol. */
export interface Overrides {
  readonly rules?: Partial<NerioRules>;
  readonly host?: Partial<HostRules>;
  readonly driver?: Partial<DriverRules>;
}
