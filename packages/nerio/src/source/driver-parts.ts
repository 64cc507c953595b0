import type { LeadershipError } from '@leadership/core';
import type { Host, Troubles } from '@leadership/core/backend';
import type { Epoch } from '../protocol/electorate.ts';
import type { NerioRules } from '../protocol/rules.ts';
import type { Ears, Pin, Transport } from '../transport/transport.ts';
import type { Acquaintances } from './acquaintances.ts';
import type { Vault } from './vault.ts';

/** What a driver needs of the world. */
export interface DriverParts {
  readonly rules: NerioRules;
  readonly host: Host;
  readonly troubles: Troubles;
  readonly group: string;
  /** What all members agree on (R3). */
  readonly pin: Pin;
  readonly thresholdMs: number;
  readonly keepsGrants: boolean;
  readonly vault: Vault | undefined;
  readonly acquaintances: Acquaintances;
  /** Opens the transport, which is told whom to call. */
  readonly open: (ears: Ears) => Transport;
  /** Who is weak leader of a partition, where that has changed. */
  readonly weak: (partition: number, member: string | undefined) => void;
  /** A later epoch runs. */
  readonly entered: (epoch: Epoch) => void;
  /** This member never takes part (R4). */
  readonly refused: (error: LeadershipError) => void;
}
