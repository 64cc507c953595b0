// The pin of the group: the values that all its members have (R3).
import { LeadershipError } from '../contract/leadership-error.ts';
import type { JsonFields } from '../engine/envelope.ts';
import { valuesDiffer } from '../engine/pinned-values.ts';
import { unknownGroup } from '../engine/unknown-group.ts';
import type { RowChange } from '../rows/rows.ts';
import { after, longAgo } from '../time/instant.ts';
import { refusedShare } from './pauses.ts';
import { type Pin, parsePin, pinName, pinText } from './records.ts';
import { type MemberState, nextId } from './state.ts';
import { mended, trouble } from './trouble.ts';
import type { LeaseConfig } from './types.ts';

/** Takes the text of the pin. A member that takes part already goes on, and reports it (R4). */
export function readPin(state: MemberState, text: string | null): void {
  const { config, phase, rules } = state;
  const pin = text === null ? undefined : parsePin(text);
  const difference = pin && differenceOf(pin, config);
  const error = rules.takesPart(difference === undefined) ? undefined : difference;
  state.pin = pin === undefined ? 'absent' : error ? 'differs' : 'agrees';
  for (const { index } of state.partitions) state.todo.add(index);
  if (state.pin === 'agrees') return mended(state, 'pin');
  if (error === undefined) return;
  const { code, message, cause } = error;
  if (phase !== 'reading') return trouble(state, 'pin', error);
  state.phase = 'refused';
  state.outputs.push({ kind: 'refused', code, message, cause });
}

/** The values of a member that its group pins. */
type PinnedConfig = Pick<
  LeaseConfig,
  'group' | 'partitions' | 'thresholdMsMax' | 'pinned' | 'shard'
>;

/** Returns why a member with these values cannot join the group; `undefined` if it can. */
export function differenceOf(pin: Pin, config: PinnedConfig): LeadershipError | undefined {
  const { group, thresholdMsMax, pinned = {} } = config;
  if (pin.isUnreadable) return isNotReadable(group);
  const partitions = partitionsOf(config);
  const { guarantee = 'exclusive' } = pin.pinned;
  const own = { guarantee: 'exclusive', ...pinned };
  for (const [option, value] of Object.entries({ ...pin.pinned, guarantee })) {
    const mine = (own as JsonFields)[option];
    if (mine !== undefined && mine !== value) return optionDiffers(group, option, value, mine);
  }
  if (!pin.hasSessions) return hasNoSessions(group);
  const isSame = pin.partitions === partitions && pin.thresholdMsMax === thresholdMsMax;
  return isSame ? undefined : valuesDiffer(group, pin, { partitions, thresholdMsMax });
}

function optionDiffers(
  group: string,
  option: string,
  value: unknown,
  mine: unknown,
): LeadershipError {
  return new LeadershipError(
    'misconfigured-backend',
    `group "${group}" runs with ${option} "${value}", but this member is configured with "${mine}"; use the same ${option} for all members`,
  );
}

/** Returns the number of partitions of the group, in all of its stores. */
function partitionsOf({ shard, partitions }: PinnedConfig): number {
  return shard?.partitions ?? partitions;
}

function isNotReadable(group: string): LeadershipError {
  return new LeadershipError(
    'misconfigured-backend',
    `row "${pinName}" of group "${group}" must hold the values that all its members have, and holds another text: somebody has edited it; ` +
      'restore the text, or remove the row: a member writes its own values then',
  );
}

function hasNoSessions(group: string): LeadershipError {
  return new LeadershipError(
    'partitions-differ',
    `group "${group}" has no leases by session: a release that this one cannot join has opened it, or another guarantee; ` +
      'update all members together, or give this one another group',
  );
}

/** Returns the pin that a candidate of an empty group writes. */
export function pinChange(state: MemberState): RowChange | undefined {
  const { pin, isCampaigning, hasRead, config, now, pinRetryAt } = state;
  if (pin !== 'absent' || !isCampaigning || !hasRead || now < pinRetryAt) return undefined;
  const { thresholdMsMax, pinned } = config;
  const text = pinText(partitionsOf(config), thresholdMsMax, pinned, nextId(state));
  return { name: pinName, expected: null, text };
}

/** A pin was refused, and still there is none: the next attempt waits a little. */
export function pinRefused(state: MemberState): void {
  const { config, now } = state;
  if (state.pin !== 'absent') return;
  const isFirst = state.pinRetryAt === longAgo;
  state.pinRetryAt = after(now, config.thresholdMs * refusedShare);
  // Another member may have written it after this member had read.
  if (config.traits.readsFirst && isFirst) {
    state.isSoon = true;
    return;
  }
  trouble(state, 'pin', pinIsRefused(config.group));
}

/** Returns what is wrong where the pin can be neither read nor written. */
export function pinIsRefused(group: string): LeadershipError {
  return new LeadershipError(
    'misconfigured-backend',
    `the pin of group "${group}" reads as missing, but the store refuses to write it; this member claims nothing until the pin is read or written: ` +
      'check that this member may read every record of the group, and that all members use the same store',
  );
}

/** Reports that no member has ever opened the group: only an observer does not open it itself. */
export function reportUnknownGroup(state: MemberState): void {
  const { pin, isCampaigning, phase } = state;
  // A candidate that closes no longer campaigns.
  if (pin !== 'absent' || isCampaigning || phase === 'closing') return mended(state, 'group');
  trouble(state, 'group', unknownGroup(state.config.group));
}
