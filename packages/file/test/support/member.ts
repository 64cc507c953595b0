import type { Ledger } from '@leadership/core/internal/lease';
import {
  type FollowedLedger,
  followLedger,
  type RecordingHost,
  recordingHost,
} from '@leadership/testkit/adapter';
import type { Watch } from '../../src/disk/watch.ts';
import { fileLedger } from '../../src/ledger.ts';
import { layoutOf } from '../../src/register/layout.ts';
import { type Store, storeAt } from '../../src/store.ts';

/** The ledger of one member, with a reader that follows it. */
export interface Member extends FollowedLedger {
  readonly host: RecordingHost;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly register: string;
}

export interface MemberOptions {
  readonly member?: string;
  readonly group?: string;
  readonly pollMs?: number;
  readonly thresholdMs?: number;
  readonly campaign?: boolean;
  readonly partitions?: readonly number[];
  readonly watch?: Watch;
  /** Runs before a record is linked into place, where a member may be paused. */
  readonly paused?: () => Promise<void>;
}

/**
 * So long that only a watch can report a change. Tests that need a poll set their own interval.
 * Milliseconds.
 */
const pollMsNever = 600_000;

export function openMember(directory: string, options: MemberOptions = {}): Member {
  const {
    member = 'm',
    group = 'g',
    pollMs = pollMsNever,
    thresholdMs = 1000,
    campaign = true,
    partitions = [0],
    watch,
  } = options;
  const host = recordingHost(member);
  const store = pausing(
    storeAt({ directory, group, pollMs, thresholdMs, campaign, ...(watch && { watch }) }, host),
    options.paused,
  );
  const ledger = fileLedger(store, { group, thresholdMsMax: 5000 });
  const followed = followLedger(ledger, { host, group, partitions, thresholdMs });
  return { ...followed, host, store, ledger, register: layoutOf(directory, group).register(0) };
}

/** Writes `count` versions one after the other. */
export async function writeMany(member: Member, count: number): Promise<void> {
  for (let written = 0; written < count; written += 1) await member.writeNext();
}

function pausing(store: Store, paused: MemberOptions['paused']): Store {
  const { scratch } = store;
  if (paused === undefined) return store;
  const put = async (text: string, durable: boolean): Promise<string> => {
    if (text !== '') await paused();
    return scratch.put(text, durable);
  };
  return { ...store, scratch: { ...scratch, put } };
}
