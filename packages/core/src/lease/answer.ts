// The end of an exchange: its answer, or its failure.
import type { Exchanged, RowChange } from '../rows/rows.ts';
import { after } from '../time/instant.ts';
import { doubt } from './doubt.ts';
import { settleSent } from './limit.ts';
import { refusedShare, soonShare } from './pauses.ts';
import { pinRefused, reportUnknownGroup } from './pin.ts';
import { place } from './placement.ts';
import { readAbsent, readRow } from './reading.ts';
import { noteName, pinName } from './records.ts';
import { deposeSoon } from './requests.ts';
import { over } from './session.ts';
import { outdateShown } from './shown.ts';
import type { Flight, MemberState, Partition } from './state.ts';
import { mended, trouble } from './trouble.ts';
import type { Input } from './types.ts';

/** Takes the answer to an exchange, or a part of it. */
export function exchanged(
  state: MemberState,
  { id, answer, hasMore = false }: Input & { readonly kind: 'exchanged' },
): void {
  const { flight } = state;
  if (flight?.id !== id) return;
  if (flight.shown.size === 0) doubtLacking(state, answer);
  const tookEffect = flight.renews && answer.outcomes[0] === true;
  const isRenewed = tookEffect || state.rules.beginsUnrenewed();
  for (const [name, text] of answer.rows) {
    flight.shown.set(name, text);
    readRow(state, name, text, isRenewed);
  }
  if (hasMore) return;
  state.flight = undefined;
  if (answer.isWhole) readAbsent(state, flight.shown);
  state.readsWhole = false;
  state.position = answer.position;
  answered(state, flight);
  state.outputs.push({ kind: 'confirmed' });
  takeOutcomes(state, flight, answer);
  if (state.claims.size + state.handed.size > 0) settleSent(state, flight, answer.outcomes);
  outdateShown(state, flight);
  if (!tookEffect) renewSoon(state);
  admit(state);
}

/**
 * Renews soon after an exchange without a renewal. If a term would begin by a row that it has shown, the next
 * one reads everything: a store that loses the row, and not the last renewal, may show neither (M3).
 */
function renewSoon(state: MemberState): void {
  const { own, partitions } = state;
  if (state.readsOnly) state.isSoon = true;
  state.readsOnly = false;
  if (!own?.isValid || [...own.row.owns].every((index) => partitions[index]?.isSure)) return;
  state.readsWhole = true;
  state.isSoon = true;
}

/** A change was answered, so an opening may be, too. The partitions may wait for one. */
function mayOpenAgain(state: MemberState): void {
  const { rules, partitions, todo, openings } = state;
  if (!rules.mayOpen(openings.unanswered)) for (const { index } of partitions) todo.add(index);
  openings.unanswered = 0;
}

/** Doubts an answer that may lack the latest changes. A first reading shows no loss. */
function doubtLacking(state: MemberState, { isRestarted = false }: Exchanged): void {
  const { hasRead, config } = state;
  if (isRestarted || (!hasRead && config.traits.isDoubtedAtFirst === true))
    doubt(state, hasRead && isRestarted);
}

/** Takes the failure of an exchange: the outcome of every change is unknown. */
export function failed(
  state: MemberState,
  { id, code, message }: Input & { readonly kind: 'failed' },
): void {
  const { flight, now } = state;
  if (flight?.id !== id) return;
  state.flight = undefined;
  outdateShown(state, flight);
  if (state.own?.isValid === false) state.openings.unanswered += 1;
  // Its row may have been created, deposed and removed meanwhile.
  endUnopened(state);
  state.retryAt = after(now, retryMs(state, state.failed.count));
  state.failed.count += 1;
  state.readsOnly = !state.readsOnly && state.config.traits.readsFirst === true;
  for (const partition of flight.about) if (partition) state.todo.add(partition.index);
  if (flight.changes.length > 0) {
    state.failed.changesUntil = after(now, state.config.thresholdMs);
    state.failed.unmade += 1;
  }
  trouble(state, 'store', { code, message });
}

/**
 * Takes that the store has answered. A member whose changes fail goes on to read, which mends nothing: it
 * repeats them within T, unless it has none any more.
 */
function answered(state: MemberState, { changes }: Flight): void {
  const { failed, now, troubles } = state;
  failed.count = 0;
  if (troubles.size === 0) return;
  if (changes.length > 0 || now >= failed.changesUntil) mended(state, 'store');
}

function retryMs(
  { config: { thresholdMs }, rules, own, now }: MemberState,
  failures: number,
): number {
  const restMs = own?.isValid ? own.until - now : Number.POSITIVE_INFINITY;
  return rules.retryMs(thresholdMs, failures, restMs);
}

/** Takes whether each change was made. The rows of the answer show it, except where the store reads first. */
function takeOutcomes(state: MemberState, flight: Flight, answer: Exchanged): void {
  if (flight.changes.length > 0)
    state.failed.unmade = answer.outcomes.includes(true) ? 0 : state.failed.unmade + 1;
  if (state.openings.unanswered > 0 && flight.changes.length > 0) mayOpenAgain(state);
  flight.changes.forEach((change, index) => {
    const partition = flight.about[index];
    const isRenewal = flight.renews && index === 0;
    if (partition) state.todo.add(partition.index);
    // A change is repeated only once a reading has shown the row, whether it was made or refused.
    if (!answer.isRestarted && partition?.text === change.expected) pause(state, partition);
    if (answer.outcomes[index] === true) done(state, flight, change, isRenewal);
    else if (!answer.isRestarted) refused(state, change, isRenewal);
  });
  // A renewal had no effect in another history (M7). The leader of a log has changed, which has taken a
  // part of the lease already.
  if (answer.isRestarted && flight.renews) exchangeSoon(state);
  endUnopened(state);
}

/**
 * An opening that was not made is over, as one without an answer is. The next session asks for what
 * this member wants by then (M2, M6).
 */
function endUnopened(state: MemberState): void {
  if (state.own && !state.own.isValid) over(state, 'expired');
}

function done(
  state: MemberState,
  { shown }: Flight,
  { name, expected, text }: RowChange,
  isRenewal: boolean,
): void {
  // A member that follows the rows receives what it has changed with the answer, or what has replaced it since.
  const isShown = shown.has(name) && shown.get(name) !== expected;
  if (isRenewal || state.rules.beginsByAnswer()) readRow(state, name, text, true);
  else if (name === noteName(state.config.incarnation)) state.note.text = text;
  // A claim that was made begins nothing before a reading shows it (M3): if the answer does not, another one soon.
  else if (state.config.traits.readsFirst && !isShown) state.isSoon = true;
}

/** A change without another text to show for it: the next attempt waits a little. */
function pause(state: MemberState, partition: Partition): void {
  const { config, now } = state;
  partition.retryAt = after(now, config.thresholdMs * refusedShare);
  if (config.traits.readsFirst) state.isSoon = true;
}

/** A refusal. */
function refused(state: MemberState, change: RowChange, isRenewal: boolean): void {
  const { name, expected } = change;
  const { own, config, now, rules } = state;
  deposeSoon(state, change);
  if (name === pinName) pinRefused(state);
  if (name === noteName(config.incarnation))
    state.note.removeAt = after(now, rules.noteKeptMs(config.thresholdMs));
  if (!isRenewal || own?.row.text !== expected) return;
  state.readsWhole = true;
  // A store that makes no change may go on so: each of these exchanges reads everything.
  const again = state.failed.unmade - 2;
  exchangeSoon(state, again < 0 ? undefined : retryMs(state, again));
}

function exchangeSoon(state: MemberState, pauseMs = state.config.thresholdMs * soonShare): void {
  state.isSoon = true;
  state.retryAt = after(state.now, pauseMs);
}

/** Takes part, once the group is read and its values agree. */
function admit(state: MemberState): void {
  const isFirst = !state.hasRead;
  state.hasRead = true;
  if (state.pin === 'unknown') state.pin = 'absent';
  const isAdmitted = state.phase === 'reading' && (!state.isCampaigning || state.pin === 'agrees');
  reportUnknownGroup(state);
  if (isAdmitted) {
    state.phase = 'running';
    // An application that waits until the source is ready may ask for its members.
    place(state);
    state.outputs.push({ kind: 'ready' });
  }
  if (isFirst || isAdmitted) for (const { index } of state.partitions) state.todo.add(index);
}
