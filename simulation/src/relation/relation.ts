// Checks for the simulation whether the text of the rules of the ledger lease permits a step, given
// only its inputs and outputs so far. It is an independent reading of the rules, and shares no code
// with the machine.
import type { Instant } from '@leadership/core/adapter';
import type { LedgerInput, LedgerOutput } from '@leadership/core/internal/ledger';
import { holderOf, type LedgerRecord } from '@leadership/core/internal/ledger';
import * as actions from './actions.ts';
import { guards } from './actions.ts';
import type { Checked } from './guards.ts';
import { after, type Knowledge, latest, learn, never } from './knowledge.ts';

/** A step of a machine: its moment, its input, and what it returned. */
export interface ObservedStep {
  readonly input: LedgerInput;
  readonly now: Instant;
  readonly wallMicros: number;
  readonly outputs: readonly LedgerOutput[];
  readonly wakeAt: Instant;
}

/** The guards that did not hold in a step. */
type Refuted = readonly string[];

const none: Refuted = [];

interface Situation extends actions.Situation {
  readonly checked: Checked;
  refuted: Refuted;
}

type Output<Kind extends LedgerOutput['kind']> = LedgerOutput & { readonly kind: Kind };

/**
 * Checks one step, and folds it into what the member knows. Returns the names of the guards that did
 * not hold: none, if the rules permit the step.
 */
export function relate(known: Knowledge, step: ObservedStep, checked: Checked): Refuted {
  const { input, now, wallMicros, outputs, wakeAt } = step;
  const situation: Situation = { known, input, now, wallMicros, checked, refuted: none };
  const { belief } = known;
  checked.steps += 1;
  known.ends = belief !== undefined && now >= belief.until ? 'H4' : undefined;
  learn(known, input, situation);
  for (const output of outputs) takeOutput(situation, output);
  if (belief !== undefined && known.ends !== undefined)
    guards.check(situation, actions.mustEnd[known.ends], undefined);
  if (known.mustReread) guards.check(situation, actions.mustReread, undefined);
  if (known.belief !== undefined) guards.check(situation, actions.goesOn, wakeAt);
  return situation.refuted;
}

/** A step of the machine of the pin. */
export interface ObservedPinStep extends Pick<ObservedStep, 'input' | 'now' | 'wallMicros'> {
  readonly pin: Knowledge['pin'];
  readonly write: LedgerRecord | undefined;
}

/** Checks one step of the pin, in the same way. */
export function relatePin(known: Knowledge, step: ObservedPinStep, checked: Checked): Refuted {
  const { input, now, wallMicros, pin, write } = step;
  const situation: Situation = { known, input, now, wallMicros, checked, refuted: none };
  checked.steps += 1;
  learn(known, input, situation);
  if (pin === 'agrees') guards.check(situation, actions.agrees, undefined);
  if (write === undefined) return situation.refuted;
  guards.check(situation, actions.pins, write);
  known.sent = [...known.sent, { id: write.id, after: write.after, at: now }];
  return situation.refuted;
}

function takeOutput(situation: Situation, output: LedgerOutput): void {
  const { known } = situation;
  switch (output.kind) {
    case 'granted':
      return takeGranted(situation, output);
    case 'lost':
      guards.check(situation, actions.fences, output);
      known.belief = undefined;
      return;
    case 'drain':
      guards.check(situation, actions.revokes, output);
      if (known.isWanted) guards.check(situation, actions.revokesForOther, output);
      known.isRevoking = true;
      return;
    case 'released':
      guards.check(situation, actions.ends, output);
      known.releasingUntil = known.belief?.until ?? situation.now;
      known.belief = undefined;
      return;
    case 'write':
      return takeWrite(situation, output);
    case 'request-lease':
      return takeRequest(situation, output);
    case 'reread':
      guards.check(situation, actions.rereads, output);
      known.isRereading = true;
      return;
    case 'leader':
      if (output.record) guards.check(situation, actions.reports, output.record);
      return;
    case 'broken':
      return guards.check(situation, actions.complains, output);
    case 'read-floor':
    case 'ignored':
  }
}

function takeGranted(situation: Situation, output: Output<'granted'>): void {
  const { known, now } = situation;
  const { token, until, sentAt } = output;
  guards.check(situation, actions.believes, output);
  const isDelegated = known.effect?.kind === 'release';
  guards.check(
    situation,
    isDelegated ? actions.believesByRequest : actions.believesByWriting,
    output,
  );
  guards.check(situation, known.belief === undefined ? actions.begins : actions.prolongs, output);
  if (known.belief === undefined) {
    known.isRevoking = false;
    known.asked = [];
  }
  // A lease that was delegated is renewed at once (L7).
  const renewMs = known.paces.renewMs(known.self.thresholdMs);
  known.renewAt = isDelegated ? now : latest(known.renewAt, after(sentAt, renewMs));
  if (isDelegated) pauseRequests(known, now);
  known.retryAt = never;
  known.ledToken = token;
  known.belief = { token, until };
}

/** L7: a member asks rarely while it cannot write. */
function pauseRequests(known: Knowledge, now: Instant): void {
  known.unproven += 1;
  const pauseMs = Math.min(8 * 2 ** (known.unproven - 1), 128) * known.self.thresholdMs;
  known.pausedUntil = after(now, pauseMs);
}

function takeWrite(situation: Situation, output: Output<'write'>): void {
  const { known, now } = situation;
  const { record } = output;
  guards.check(situation, actions.writes, output);
  if (known.isNewTerm(record)) guards.check(situation, actions.issuesToken, record);
  if (record.kind !== 'hold') checkRelease(situation, record);
  else if (known.belief !== undefined) guards.check(situation, actions.renews, record);
  else checkClaim(situation, record);
  // An attempt that is older than T proves nothing any more.
  const recent = known.sent.filter(({ at }) => now < at + known.self.thresholdMs);
  known.sent = [...recent, { id: record.id, after: record.after, at: now }];
  known.renewAt = after(now, known.paces.renewMs(known.self.thresholdMs));
  known.retryAt = never;
}

function checkClaim(situation: Situation, record: LedgerRecord): void {
  const { known } = situation;
  const holder = holderOf(known.effect);
  checkReturn(situation);
  guards.check(situation, actions.claims, record);
  if (known.effect === null) guards.check(situation, actions.claimsEmpty, record);
  else if (holder !== undefined && !known.isHolder)
    guards.check(situation, actions.claimsLapsed, record);
}

function checkRelease(situation: Situation, record: LedgerRecord): void {
  guards.check(situation, actions.releases, record);
  if (!situation.known.isHolder) guards.check(situation, actions.releasesForDead, record);
  else guards.check(situation, record.to ? actions.delegates : actions.releasesToAll, record);
}

function takeRequest(situation: Situation, output: Output<'request-lease'>): void {
  const { known, now } = situation;
  checkReturn(situation);
  guards.check(situation, actions.asks, output);
  const living = known.asked.filter(({ at }) => now < at + known.self.thresholdMsMax);
  known.asked = [...living, { id: output.request.id, after: null, at: now }];
}

/** A claim or a request ends the time for which a member abstains (L9). */
function checkReturn(situation: Situation): void {
  const { known } = situation;
  if (known.abstains !== undefined) guards.check(situation, actions.returns, undefined);
  known.abstains = undefined;
}
