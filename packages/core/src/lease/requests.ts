// The changes that no partition asks for, and the exchange that carries all of them.
import type { RowChange } from '../rows/rows.ts';
import { after, type Instant, never } from '../time/instant.ts';
import type { Batch } from './batch.ts';
import { deposesAt, lapseOf } from './owners.ts';
import { limitShare, soonShare } from './pauses.ts';
import { pinChange } from './pin.ts';
import { nextAt, pauseMs, pollFrom } from './polls.ts';
import { endText, parseName, sessionName } from './records.ts';
import { mayOpen, noteChange, open, renewal } from './session.ts';
import type { MemberState, Session } from './state.ts';

/** A deposition that was sent is repeated after that part of T, unless its answer says more. */
const deposeAgainShare = 1 / 6;

/** Gathers the changes that no partition asks for. */
export function gather(state: MemberState, batch: Batch): void {
  gatherChores(state, batch);
  if (!batch.isFull) addIfAny(batch, pinChange(state));
  if (!batch.isFull) addIfAny(batch, noteChange(state));
  const { candidacies, phase, pin } = state;
  if (phase !== 'running' || pin !== 'agrees') return;
  if (candidacies > 0) for (const session of state.lapsed) deposeLapsed(state, session, batch);
  deposeDead(state, batch);
}

function gatherChores(state: MemberState, batch: Batch): void {
  while (!batch.isFull) {
    const chore = state.chores.shift();
    if (chore === undefined) return;
    if (isDue(state, chore)) batch.add(chore);
  }
}

/**
 * Returns whether a row that is to end or to be removed still is what this member has read: it may
 * have changed since, or a partition may name the session again.
 */
export function isDue(
  { sessions, notes }: MemberState,
  { name, expected, text }: RowChange,
): boolean {
  const of = parseName(name);
  if (of.kind === 'member') return notes.get(of.id)?.text === expected;
  const session = of.kind === 'session' ? sessions.get(of.id) : undefined;
  return session?.text === expected && (text !== null || session?.owns.size === 0);
}

function addIfAny(batch: Batch, change: RowChange | undefined): void {
  if (change !== undefined) batch.add(change);
}

/**
 * Deposes a session that has lapsed, also if another member will claim what it owned: the others
 * learn of it by the notification.
 */
function deposeLapsed(state: MemberState, session: Session, batch: Batch): void {
  if (session.state === 'dead' || !session.isLapsed) {
    state.lapsed.delete(session);
    return;
  }
  // A row that is missing is deposed only if a partition names it: so that no late opening lands.
  if (session.state === 'absent' && session.owns.size === 0) return;
  depose(state, session, deposesAt(state, session), batch);
}

/** Deposes the sessions of processes that are proved dead: that needs no lapse (M10). */
function deposeDead(state: MemberState, batch: Batch): void {
  if (state.dead.size === 0 || state.now < state.doubtUntil) return;
  for (const session of state.sessions.values())
    if (session.state === 'live' && state.rules.deathOf(session.incarnation, state.dead))
      depose(state, session, session.retryAt, batch);
}

function depose(state: MemberState, session: Session, at: Instant, batch: Batch): void {
  const { now, rules, dead, config } = state;
  if (now < at) return state.due.set(session, at);
  if (batch.isFull) return;
  const { id, version, text, incarnation } = session;
  batch.add({
    name: sessionName(id),
    expected: text,
    text: endText('deposed', id, version + 1, rules.deathOf(incarnation, dead) !== undefined),
    isAwaited: true,
  });
  session.retryAt = after(now, config.thresholdMs * deposeAgainShare);
  state.due.set(session, session.retryAt);
}

/**
 * Repeats a deposition soon that was refused, though the answer shows the session unchanged: another member's
 * takes effect at that instant, or had done so after a store that reads first was read. Not in every turn, and less
 * and less often: a stranger may have locked the row.
 */
export function deposeSoon(state: MemberState, { name, expected }: RowChange): void {
  const { config, now, sessions } = state;
  const of = parseName(name);
  const session = of.kind === 'session' ? sessions.get(of.id) : undefined;
  if (session?.text !== expected || !session?.isLapsed) return;
  const [least, most] = [soonShare * config.thresholdMs, deposeAgainShare * config.thresholdMs];
  const lapsedMs = now - lapseOf(state, session);
  session.retryAt = after(now, Math.min(most, Math.max(least, lapsedMs)));
}

/** Sends the next exchange, if it is due or there is something to change. Returns when it will be. */
export function exchange(state: MemberState, batch: Batch, canSend: boolean): Instant {
  if (state.flight !== undefined || state.phase === 'refused') return never;
  if (!canSend) return state.retryAt;
  const isOpening = !state.readsOnly && openToAsk(state);
  // Every step of every member comes here: a store that notifies is spared the call of `nextAt`.
  const at =
    state.isSoon || state.readsOnly
      ? state.now
      : state.config.isSilent
        ? nextAt(state)
        : after(state.sentAt, pauseMs(state));
  if (state.now < at && batch.changes.length === 0 && !isOpening) return at;
  send(state, batch);
  return never;
}

/** Opens a session for a member that asks for partitions. Returns whether one is opened now. */
function openToAsk(state: MemberState): boolean {
  const { wants, own, phase, pin } = state;
  const isAsking = wants.size > 0 && own === undefined && mayOpen(state);
  if (isAsking && phase === 'running' && pin === 'agrees') open(state);
  return state.own?.openedAt === state.now && !state.own.isValid;
}

function send(state: MemberState, batch: Batch): void {
  const { config, now, position, readsWhole, readsOnly, candidacies, announced } = state;
  const own = readsOnly ? undefined : state.own;
  const changes: readonly RowChange[] = own
    ? [renewal(state, own), ...batch.changes]
    : batch.changes;
  const about = own ? [undefined, ...batch.about] : batch.about;
  state.exchanges += 1;
  const id = state.exchanges;
  state.flight = { id, sentAt: now, changes, about, renews: own !== undefined, shown: new Map() };
  if (config.isSilent) state.pollFrom = pollFrom(state);
  state.sentAt = now;
  state.isSoon = false;
  state.outputs.push({
    kind: 'exchange',
    id,
    changes,
    since: position,
    isWhole: readsWhole,
    mayLag: candidacies === 0 && changes.length === 0 && announced.size === 0,
    limitMs: config.thresholdMs * limitShare,
  });
}
