// A member that has granted, claimed and led nothing in this incarnation is a newcomer (R4). Two
// configurations of one group elect one leader each, so a newcomer that meets another pin refuses
// to take part for good. It tries every member that it knows before it first grants or claims: a
// member outside its own quorum may belong to the group of the other configuration. Nor does it
// begin before it listens: while it cannot, another process may listen under its name, and a quorum
// of that name alone would elect both.
import { nobody, only } from './members.ts';
import type { Newcomer } from './state.ts';
import type { StepContext } from './step-context.ts';

/** Returns a newcomer that has tried no member yet, and waits for `ms` at most once it listens. */
export function newNewcomer(now: number, ms: number, isListening: boolean): Newcomer {
  return {
    tried: [],
    isListening,
    until: now + ms,
    unlike: nobody,
    isRefused: false,
    isAdmitted: false,
  };
}

/** Notes that a member has answered with the same pin, or cannot be reached now. */
export function noteTried(context: StepContext, member: string): void {
  const { state } = context;
  const { newcomer } = state;
  if (newcomer === undefined || newcomer.tried.includes(member)) return;
  state.newcomer = { ...newcomer, tried: [...newcomer.tried, member] };
}

/** Notes that other members can connect to this one. */
export function noteListening({ state }: StepContext): void {
  if (state.newcomer !== undefined) state.newcomer = { ...state.newcomer, isListening: true };
}

/**
 * Notes that a member of the group has another pin. A newcomer refuses; a member that takes part
 * goes on.
 */
export function noteOtherPin({ rules, state, outputs }: StepContext, member: string): void {
  const { newcomer, electorate } = state;
  if (newcomer === undefined || newcomer.isRefused) return;
  const index = electorate.names.indexOf(member);
  const unlike = index < 0 ? newcomer.unlike : newcomer.unlike | only(index);
  const isRefused = rules.refuses(electorate.quorums, unlike);
  state.newcomer = { ...newcomer, tried: [...newcomer.tried, member], unlike, isRefused };
  if (isRefused) outputs.push({ kind: 'refused', member });
}

/**
 * Whether this member may grant and claim, as far as other configurations of the group are
 * concerned.
 */
export function mayTakePart({
  rules,
  state,
  now,
}: Pick<StepContext, 'rules' | 'state' | 'now'>): boolean {
  const { newcomer, electorate, self } = state;
  if (newcomer === undefined) return true;
  if (newcomer.isRefused || newcomer.isAdmitted) return newcomer.isAdmitted && !newcomer.isRefused;
  const { tried, isListening } = newcomer;
  if (!isListening) return false;
  return (
    now >= newcomer.until ||
    rules.mayBegin(electorate.names.every((name) => name === self.member || tried.includes(name)))
  );
}

/**
 * Whether this voter may not grant yet: it must first learn about its forgotten grants (N4, N16),
 * or about other pins (R4).
 */
export function isMuted(context: StepContext): boolean {
  const { state, now } = context;
  return now < state.mutedUntil || state.learning !== undefined || !mayTakePart(context);
}

/**
 * Admits the newcomer once every member was tried or the wait is over. Returns when that is at the
 * latest.
 */
export function admit(context: StepContext): number {
  const { state } = context;
  const { newcomer } = state;
  if (newcomer === undefined || newcomer.isAdmitted || newcomer.isRefused)
    return Number.POSITIVE_INFINITY;
  if (!mayTakePart(context)) return latestOf(newcomer);
  context.isRingStale = true;
  state.newcomer = { ...newcomer, isAdmitted: true };
  return Number.POSITIVE_INFINITY;
}

/** When a newcomer may take part at the latest; infinite where it never does. */
export function takesPartAt(context: StepContext): number {
  const { newcomer } = context.state;
  if (newcomer === undefined || mayTakePart(context)) return context.now;
  return latestOf(newcomer);
}

/**
 * When the newcomer takes part at the latest; infinite while it does not listen, and after a
 * refusal.
 */
function latestOf({ isRefused, isListening, until }: Newcomer): number {
  return isRefused || !isListening ? Number.POSITIVE_INFINITY : until;
}

/** The member grants or claims: from now on it takes part, and another pin does not end that. */
export function takePart({ state }: StepContext): void {
  state.newcomer = undefined;
}
