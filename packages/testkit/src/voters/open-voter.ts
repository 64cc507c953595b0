// Opens the voters of a Nerio or gossip group in tests.
import type { LeadershipSource, SourceOptions } from '@leadership/core';

/** The voters of each group. They are not candidates. */
export const voters: readonly string[] = ['v1', 'v2', 'v3'];

/** The options that voters share with the members of their group. */
export type VoterOptions = Pick<
  SourceOptions,
  'partitions' | 'thresholdMs' | 'thresholdMsMax' | 'driftRate'
>;

/** A module that starts voters of one backend exports this function as `openVoter`. */
export type OpenVoter = (place: {
  /** Of the address book. */
  readonly directory: string;
  readonly group: string;
  readonly member: string;
  readonly options: VoterOptions;
}) => LeadershipSource;
