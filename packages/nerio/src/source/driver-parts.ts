import type { LeadershipError } from '@leadership/core';
import type { Host } from '@leadership/core/adapter';
import type { HealthReporter } from '@leadership/core/internal';
import type { Epoch } from '../protocol/electorate.ts';
import type { NerioRules } from '../protocol/rules.ts';
import type { Pin, Transport, TransportListener } from '../transport/transport.ts';
import type { PeerMetadata } from './peer-metadata.ts';
import type { StateStore } from './state-store.ts';

/** The parts of a driver. */
export interface DriverParts {
  readonly rules: NerioRules;
  readonly host: Host;
  readonly health: HealthReporter;
  readonly group: string;
  /** The values on which all members agree (R3). */
  readonly pin: Pin;
  readonly thresholdMs: number;
  readonly keepsGrants: boolean;
  readonly store: StateStore | undefined;
  readonly peerMetadata: PeerMetadata;
  /** Opens the transport, which calls `listener`. */
  readonly open: (listener: TransportListener) => Transport;
  /** The weak leader of a partition has changed. */
  readonly weak: (partition: number, member: string | undefined) => void;
  /** A later epoch runs. */
  readonly entered: (epoch: Epoch) => void;
  /** This member never takes part (R4). */
  readonly refused: (error: LeadershipError) => void;
}
