// Everything that the faults of a soak test may use: the members, their store, and the network
// between them.
import type { ProcessMember, ProcessMemberOptions } from '@leadership/testkit/faults';
import type { Recorder } from './recorder.ts';
import type { Rng } from './rng.ts';
import type { SoakSettings } from './settings.ts';

/**
 * The store of a soak's members and the network between them. Disposing removes everything that it
 * created.
 */
export interface SoakEnvironment extends AsyncDisposable {
  /** A name for the report. */
  readonly name: string;
  /** Returns the options that open this member. */
  memberOptions(member: string): Pick<ProcessMemberOptions, 'url' | 'module'>;
  /** Variables of the environment of member processes, such as a password. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Faults of one member that only this environment supports, in addition to the faults of any
   * process.
   */
  readonly memberFaults: Readonly<Record<string, MemberFault>>;
  /** Faults of the environment itself. They never overlap. */
  readonly environmentFaults: Readonly<Record<string, EnvironmentFault>>;
  /** Every n-th fault is an environment fault. Default 20. */
  readonly environmentFaultEvery?: number;
  /**
   * The periods in which the store may have lost writes that it had acknowledged, in the order in
   * which they began. Only then may two members lead at once, or two claims at once have tokens in
   * another order than their terms. Absent for a store that loses none.
   */
  readonly lossy?: readonly LossyPeriod[];
}

/** A period in which a store may lose acknowledged writes. Nanoseconds of the host's clock. */
export interface LossyPeriod {
  /** The fault that began it. */
  readonly fault: string;
  readonly fromNs: bigint;
  /** `undefined` while it lasts. */
  toNs: bigint | undefined;
}

/** A member's name and its current incarnation. */
export interface MemberSlot {
  readonly name: string;
  member: ProcessMember;
  /** Whether a fault is being injected into this member. */
  busy: boolean;
}

/** The members of a soak. Disposing kills those that still run. */
export interface Members extends AsyncDisposable {
  readonly slots: readonly MemberSlot[];
  /** Starts the member's next incarnation. The previous one must have ended. */
  restart(slot: MemberSlot): Promise<void>;
}

/** Everything that a fault may use. */
export interface SoakContext {
  readonly settings: SoakSettings;
  readonly environment: SoakEnvironment;
  readonly rng: Rng;
  readonly members: Members;
  readonly recorder: Recorder;
}

/** Injects a fault into one member. Resolves once the member works as before. */
export type MemberFault = (context: SoakContext, slot: MemberSlot) => Promise<void>;

/** Injects a fault that affects all members. Resolves once the environment works as before. */
export type EnvironmentFault = (context: SoakContext) => Promise<void>;
