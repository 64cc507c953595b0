import { after, longAgo } from '../time/instant.ts';
import { doubtAlone } from './doubt.ts';
import { reportLeader, setOwner } from './owners.ts';
import { fence } from './ownership.ts';
import { abstainThresholds } from './pauses.ts';
import { tokenOf } from './records.ts';
import type { MemberState, Partition, Session } from './state.ts';

/** Takes the text of a partition as it is now. */
export function readPartition(
  state: MemberState,
  partition: Partition,
  text: string | null,
  isRenewed: boolean,
): void {
  if (partition.text === text) return readAgain(state, partition, isRenewed);
  const { record: before, owner } = partition;
  const record = text === null ? undefined : state.rules.ownershipOf(text);
  if (record !== undefined && 'isUnreadable' in record)
    state.outputs.push({ kind: 'ignored', what: 'unreadable row of a partition' });
  partition.text = text;
  partition.isSure = isRenewed;
  partition.shown = undefined;
  state.handed.delete(partition.index);
  if (!isEarlier(record, partition.announced)) partition.announced = undefined;
  partition.record = record;
  partition.arrivedAt = state.now;
  partition.retryAt = longAgo;
  if (wentBack(state, before, record)) doubtAlone(state, partition, 'M6');
  if (!state.rules.counts(record)) doubtAlone(state, partition, 'M5');
  setOwner(state, partition);
  learnToken(state, partition, tokenOf(record));
  noteMove(state, partition, owner);
  if (partition.stage !== 'idle' && !bearsOut(partition, owner)) superseded(state, partition);
  state.todo.add(partition.index);
  reportLeader(state, partition);
}

/** Takes a text that this member has read before: a term may begin by it now (M3). */
function readAgain(state: MemberState, partition: Partition, isRenewed: boolean): void {
  if (partition.isSure || !isRenewed) return;
  partition.isSure = true;
  state.todo.add(partition.index);
}

/** Returns whether a record that was read precedes one that a notification has shown. */
function isEarlier(record: Partition['record'], announced: Partition['announced']): boolean {
  if (record === undefined || announced === undefined) return false;
  return record.life === announced.life && record.version < announced.version;
}

/** Returns whether a row of a partition shows an earlier state, or another life (M6). */
function wentBack(
  { rules }: MemberState,
  before: Partition['record'],
  record: Partition['record'],
): boolean {
  if (before === undefined || record === undefined) return false;
  return record.life !== before.life || rules.wentBack(before.version, record.version);
}

/** Notes a token that later terms exceed. One that leaves no room for them is counted, and not adopted. */
export function learnToken(state: MemberState, partition: Partition, token: bigint): void {
  const { rules, wallMicros, outputs } = state;
  if (token <= partition.seenToken) return;
  if (rules.leavesRoom(token, wallMicros)) partition.seenToken = token;
  else outputs.push({ kind: 'ignored', what: 'token-without-room' });
}

function noteMove(state: MemberState, partition: Partition, before: Session | undefined): void {
  const { now, config } = state;
  const { owner, releasers = [] } = partition;
  // The record names an owner too that this member has never read, because its term was short.
  const from = releaserOf(partition);
  if (from !== undefined) {
    const recent = [...releasers].filter(([, until]) => now < until);
    const until = after(now, abstainThresholds * config.thresholdMs);
    partition.releasers = new Map([...recent, [from, until]]);
  }
  if (owner !== undefined) partition.lastOwner = undefined;
  else partition.lastOwner = from ?? before?.incarnation ?? partition.lastOwner;
  if (owner?.incarnation !== before?.incarnation) partition.movedAt = now;
}

function releaserOf({ record }: Partition): string | undefined {
  return record === undefined || record.kind === 'none' ? undefined : record.from;
}

/** Returns whether the record in effect is still the one by which this member leads, or led. */
function bearsOut({ record, owner, token }: Partition, before: Session | undefined): boolean {
  return owner !== undefined && owner === before && tokenOf(record) === token;
}

/** Another record took effect than the one by which this member leads, drains or releases. */
function superseded(state: MemberState, partition: Partition): void {
  if (partition.stage === 'releasing') partition.stage = 'idle';
  else fence(state, partition, 'superseded');
}
