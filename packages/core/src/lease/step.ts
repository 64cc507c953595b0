// One step of a member. Inputs are noted at once; `wake` decides, so that all inputs of a turn share
// their requests. Only the end of a lease does not wait: each step first compares the deadline with the clock.
import type { Moment } from '../time/clock.ts';
import { after, earliest, type Instant, longAgo, never } from '../time/instant.ts';
import { exchanged, failed } from './answer.ts';
import { Batch } from './batch.ts';
import { claim, refillWants } from './claiming.ts';
import { bury, close, endIdle } from './closing.ts';
import { endDoubt } from './doubt.ts';
import { askFloor, floorAnswered, floorAt, floorFailed } from './floor.ts';
import { lookForRoom, trimWants } from './limit.ts';
import { publish } from './members.ts';
import { changedSession, isOver, watch } from './owners.ts';
import {
  beginOrRelease,
  createRow,
  drain,
  drained,
  holding,
  mendPartition,
  ownOf,
  resign,
} from './ownership.ts';
import { soonShare } from './pauses.ts';
import { place } from './placement.ts';
import { learnToken } from './read-partition.ts';
import { sessionName } from './records.ts';
import { exchange, gather } from './requests.ts';
import { endsAt, expire, noteAt, prolong } from './session.ts';
import { showRows } from './shown.ts';
import type { MemberState, Partition, Session } from './state.ts';
import type { Input, Step } from './types.ts';

/** Takes an input. Changes the state in place, and nothing else. */
export function step(state: MemberState, input: Input, { now, wallMicros }: Moment): Step {
  state.now = now;
  state.wallMicros = wallMicros;
  state.outputs = [];
  if (state.listing.since === 0) state.listing.since = Math.floor(wallMicros / 1000);
  expire(state);
  if (state.phase === 'closed') state.wakeAt = never;
  else if (input.kind === 'wake') state.wakeAt = decide(state);
  else {
    note(state, input);
    if (isToDecide(state, input)) state.wakeAt = now;
  }
  prolong(state);
  return { outputs: state.outputs, wakeAt: state.wakeAt };
}

/** Rows that were shown change no decision before they are read, except a release. */
function isToDecide({ outputs, isSoon }: MemberState, input: Input): boolean {
  return input.kind !== 'notified' || input.rows === undefined || isSoon || outputs.length > 0;
}

function note(state: MemberState, input: Exclude<Input, { readonly kind: 'wake' }>): void {
  switch (input.kind) {
    case 'exchanged':
      return exchanged(state, input);
    case 'floor':
      return floorAnswered(state, input);
    case 'failed':
      return floorFailed(state, input) ? undefined : failed(state, input);
    case 'notified':
      return input.rows === undefined ? notified(state) : showRows(state, input.rows);
    case 'campaign':
      return campaign(state, input.on, input.partition);
    case 'died':
      state.dead.add(input.incarnation);
      state.areMembersStale = true;
      return;
    case 'publish':
      return publish(state, input);
    case 'refuse':
      if (state.phase === 'reading') state.phase = 'refused';
      return;
    case 'close':
      if (state.phase === 'closing') return;
      state.phase = 'closing';
      state.failed.unmade = 0;
      return campaign(state, false);
    default:
      return noteOfPartition(state, input);
  }
}

type OfPartition = Extract<
  Input,
  { readonly kind: 'prefer' | 'exceed' | 'resign' | 'drained' | 'fenced' | 'over' }
>;

function noteOfPartition(state: MemberState, input: OfPartition): void {
  const partition = state.partitions[input.partition];
  if (partition === undefined) return;
  state.todo.add(partition.index);
  if (input.kind === 'resign') return resign(state, partition, input.abstainMs);
  if (input.kind === 'exceed') return learnToken(state, partition, input.token);
  if (input.kind !== 'prefer') return drained(state, partition, input.token, input.kind);
  partition.who = input.who;
  // As a campaign that starts again: the other source has decided after the resignation.
  if (input.who === 'self') partition.abstainUntil = longAgo;
  if (input.above !== undefined) learnToken(state, partition, input.above);
}

/** Reads soon. A store that notifies answers again: the pause after a failure is over. */
function notified(state: MemberState): void {
  const { sentAt, retryAt, config } = state;
  state.isSoon = true;
  state.retryAt = earliest(retryAt, after(sentAt, soonShare * config.thresholdMs));
}

function campaign(state: MemberState, on: boolean, index?: number): void {
  const partitions =
    index === undefined ? state.partitions : state.partitions.slice(index, index + 1);
  for (const partition of partitions) campaignFor(state, partition, on);
  if (index !== undefined) return;
  state.isCampaigning = on;
  state.areMembersStale = true;
  if (state.own) state.own.isAwaited = true;
}

function campaignFor(state: MemberState, partition: Partition, on: boolean): void {
  if (partition.isCandidate !== on) state.candidacies += on ? 1 : -1;
  partition.isCandidate = on;
  // Starting again ends the abstention of a resignation.
  if (on) partition.abstainUntil = longAgo;
  // At once: a source that closes lets what has begun to drain release, and fences the rest.
  else if (partition.stage === 'leading') drain(state, partition);
  state.todo.add(partition.index);
}

/** Decides and sends. Returns when the next wake is due. */
function decide(state: MemberState): Instant {
  takeDue(state);
  endDoubt(state);
  bury(state);
  // First: a session that ends is nothing that a member which closes has to end.
  endIdle(state);
  const closeAt = close(state);
  if (state.phase === 'closed') return never;
  // After all that changes who is there, and before what depends on it.
  place(state);
  const canSend = state.flight === undefined && state.now >= state.retryAt;
  const mayChange = canSend && !state.readsOnly;
  const batch = new Batch(mayChange ? state.config.traits.changesMax - 1 : 0);
  gather(state, batch);
  state.begun = 0;
  look(state, batch);
  if (state.wants.size > 0) trimWants(state);
  mendPartition(state);
  askFloor(state);
  const exchangeAt = exchange(state, batch, canSend);
  return earliest(
    state.due.next(),
    expire(state),
    exchangeAt,
    closeAt,
    endAt(state),
    noteAt(state),
    state.noteExpiresAt,
    floorAt(state),
    state.now < state.doubtUntil ? state.doubtUntil : never,
  );
}

/** While an exchange is on its way, or a reading has to come first, its answer is the next wake. */
function endAt(state: MemberState): Instant {
  const { flight, readsOnly, own } = state;
  return flight === undefined && !readsOnly && own?.isValid ? endsAt(state, own) : never;
}

function takeDue(state: MemberState): void {
  for (let one = state.due.take(state.now); one; one = state.due.take(state.now)) {
    if (one.kind === 'partition') state.todo.add(one.index);
    else if (isOver(one)) sweep(state, one);
    else lapse(state, one);
  }
}

/** Removes the row of a dead session that nothing names (M11), again until it is gone. */
function sweep(state: MemberState, session: Session): void {
  const { id, text, owns } = session;
  if (owns.size > 0) return;
  if (text === null) {
    state.sessions.delete(id);
    return;
  }
  state.due.set(session, after(state.now, state.config.thresholdMsMax));
  if (state.candidacies > 0)
    state.chores.push({ name: sessionName(id), expected: text, text: null });
}

/** A session did not change for its T, so it may be deposed (M4). */
function lapse(state: MemberState, session: Session): void {
  if (session.isLapsed) return;
  session.isLapsed = true;
  state.lapsed.add(session);
  changedSession(state, session);
  watch(state, session);
}

/** Looks at the partitions that may need something. Without room for a change, they wait. */
function look(state: MemberState, batch: Batch): void {
  const { todo, waiting } = state;
  if (!state.hasRead || state.phase === 'refused') return;
  for (const index of waiting) {
    if (batch.isFull) break;
    todo.delete(index);
    lookAt(state, index, batch);
  }
  do {
    for (const index of todo) {
      todo.delete(index);
      lookAt(state, index, batch);
    }
  } while (refillWants(state) || (state.overLimit.size > 0 && lookForRoom(state)));
}

function lookAt(state: MemberState, index: number, batch: Batch): void {
  const partition = state.partitions[index];
  state.waiting.delete(index);
  if (partition) state.due.set(partition, nextOf(state, partition, batch));
}

/** Does what a partition needs. Returns when to look again. */
function nextOf(state: MemberState, partition: Partition, batch: Batch): Instant {
  if (partition.stage !== 'idle') return holding(state, partition, batch);
  if (partition.text === null) return createRow(state, partition, batch);
  const own = ownOf(state, partition);
  if (own === undefined) return claim(state, partition, batch);
  return beginOrRelease(state, own, partition, batch);
}
