// Checks whether the text of the rules of the session lease permits a step of a member, given only its
// inputs and outputs so far. It is an independent reading of the rules, and shares no code with the
// machine.
import type { Instant } from '@leadership/core/adapter';
import type { Input, Output, RowChange } from '@leadership/core/internal/sessions';
import * as actions from './actions.ts';
import { guards } from './actions.ts';
import type { Checked } from './guards.ts';
import type { Knowledge, Moment } from './knowledge.ts';
import { endTerm, forgetOldest, learn, writtenMax } from './learning.ts';
import * as terms from './terms.ts';
import { incarnationOf, numberOf, partitionText, subjectOf } from './texts.ts';

/** A step of a machine: its moment, its input, and what it returned. */
export interface ObservedStep extends Moment {
  readonly input: Input;
  readonly outputs: readonly Output[];
  readonly wakeAt: Instant;
}

interface Situation extends actions.Situation {
  readonly checked: Checked;
  refuted: readonly string[];
}

type OutputOf<Kind extends Output['kind']> = Output & { readonly kind: Kind };

/**
 * Checks one step, and folds it into what the member knows. Returns the names of the guards that did
 * not hold: none, if the rules permit the step.
 */
export function relate(known: Knowledge, step: ObservedStep, checked: Checked): readonly string[] {
  const { input, now, wallMicros, outputs } = step;
  checked.steps += 1;
  if (known.isClosed) return [];
  const situation: Situation = { known, now, wallMicros, checked, refuted: [] };
  learn(known, input, situation);
  const leaders = new Map<number, OutputOf<'leader'>>();
  for (const output of outputs)
    if (output.kind === 'leader') leaders.set(output.partition, output);
    else takeOutput(situation, output);
  // Rows of one answer are read one by one: the last report counts.
  for (const report of leaders.values()) takeReport(situation, report);
  if (!known.isClosed) checkDuties(situation, step);
  return situation.refuted;
}

function takeReport(situation: Situation, report: OutputOf<'leader'>): void {
  const { known } = situation;
  const { partition, leader } = report;
  const announced = terms.announcedBy(known, partition, leader);
  if (announced) guards.check(situation, terms.reportsShown, announced);
  else guards.check(situation, terms.reports, report);
  known.reported.set(partition, leader);
}

function checkDuties(situation: Situation, { input, wakeAt }: ObservedStep): void {
  const { known, now } = situation;
  if (known.ends !== undefined) guards.check(situation, terms.mustEnd, undefined);
  for (const partition of known.outdated) guards.check(situation, terms.mustCorrect, partition);
  for (const partition of known.changed) guards.check(situation, terms.mustFence, partition);
  if (known.terms.size > 0) guards.check(situation, terms.goesOn, wakeAt);
  // Once it ends its session, that release may still take effect.
  known.mayGiveUp ||= cannotRelease(known, now, -releaseSlack);
  if (input.kind !== 'wake') return;
  if (known.own?.isValid && known.flight === undefined)
    guards.check(situation, terms.waits, wakeAt);
  if (cannotRelease(known, now, releaseSlack)) guards.check(situation, terms.mustGiveUp, undefined);
}

/** The pause after a refusal, and the time for an answer: releases are not sent at every moment. */
const releaseSlack = 1 / 2;

/** M9: whether a release was not replaced within T, give or take `slack` T. */
function cannotRelease(known: Knowledge, now: Instant, slack: number): boolean {
  const { thresholdMs } = known.self;
  for (const [partition, since] of known.releasing) {
    const doubted = known.doubts.get(partition) ?? since;
    const from = Math.max(since, known.doubtUntil, doubted);
    if (now >= from + (1 + slack) * thresholdMs) return true;
  }
  return false;
}

function takeOutput(situation: Situation, output: Output): void {
  const { known, now } = situation;
  switch (output.kind) {
    case 'exchange':
      return takeExchange(situation, output);
    case 'floor':
      guards.check(situation, actions.asksFloor, output);
      known.floor = {
        ...known.floor,
        call: { id: output.id, isRead: output.raise === undefined, at: now },
      };
      return;
    case 'prolonged':
      guards.check(situation, terms.prolongs, output);
      known.reportedUntil = output.until;
      return;
    case 'broken':
      return guards.check(situation, terms.complains, output);
    case 'buried':
      guards.check(situation, terms.buries, output);
      known.dead.delete(output.incarnation);
      return;
    case 'closed':
      guards.check(situation, terms.closes, undefined);
      known.isClosed = true;
      return;
    default:
      return takeTerm(situation, output);
  }
}

function takeTerm(situation: Situation, output: Output): void {
  const { known } = situation;
  switch (output.kind) {
    case 'granted': {
      guards.check(situation, terms.begins, output);
      const { partition, token } = output;
      known.terms.set(partition, { token, isDraining: false, isDrained: false });
      known.ledTokens.set(partition, token);
      known.leaving.delete(partition);
      return;
    }
    case 'drain': {
      guards.check(situation, terms.drains, output);
      const term = known.terms.get(output.partition);
      if (term) known.terms.set(output.partition, { ...term, isDraining: true });
      return;
    }
    case 'released':
      guards.check(situation, terms.endsInOrder, output);
      return endTerm(known, output.partition);
    case 'lost':
      guards.check(situation, terms.fences, output);
      return endTerm(known, output.partition);
    default:
  }
}

function takeExchange(situation: Situation, output: OutputOf<'exchange'>): void {
  const { known, now } = situation;
  guards.check(situation, actions.sends, output);
  for (const change of output.changes) takeChange(situation, change);
  known.flight = { id: output.id, sentAt: now, changes: output.changes, shown: new Set() };
  known.lastSentAt = now;
}

function takeChange(situation: Situation, change: RowChange): void {
  const { known } = situation;
  const { kind, id } = subjectOf(change.name);
  guards.check(situation, actions.changes, change);
  if (kind === 'session') return takeSession(situation, id, change);
  if (change.text !== null) write(situation, change);
  if (kind === 'partition') takePartition(situation, Number(id), change);
  else if (kind === 'pin') guards.check(situation, actions.pins, change);
  else if (id === known.self.incarnation) guards.check(situation, actions.notes, change);
  else guards.check(situation, actions.sweepsNote, change);
  forgetOldest(known.written, writtenMax);
}

function write(situation: Situation, change: RowChange): void {
  guards.check(situation, actions.writes, change);
  if (change.text !== null) situation.known.written.add(change.text);
}

function takeSession(situation: Situation, id: string, change: RowChange): void {
  const { known } = situation;
  const subject = actions.sessionChange(known, id, change);
  if (change.text === null) return guards.check(situation, actions.sweeps, subject);
  if (subject.next.kind === 'live') return takeOwn(situation, subject);
  if (!change.text.startsWith('{"kind":"ended"')) return takeDeposition(situation, subject);
  guards.check(situation, actions.endsSession, subject);
  if (id !== known.own?.id) return;
  known.own = undefined;
  known.claimed.clear();
}

function takeOwn(situation: Situation, subject: actions.SessionChange): void {
  const { known, now } = situation;
  const { id, change } = subject;
  const isRenewal = id === known.own?.id;
  guards.check(situation, isRenewal ? actions.renews : actions.opens, subject);
  guards.check(situation, actions.states, subject);
  write(situation, change);
  known.sentVersion = subject.next.version;
  const attempt = { text: change.text ?? '', sentAt: now };
  if (isRenewal && known.own)
    known.own = { ...known.own, attempts: [...known.own.attempts, attempt] };
  else {
    known.opened = numberOf(id);
    known.releasing.clear();
    known.mayGiveUp = false;
    const never = Number.NEGATIVE_INFINITY as Instant;
    known.own = {
      id,
      attempts: [attempt],
      isValid: false,
      until: never,
      provedAt: never,
      sureFrom: 0,
    };
  }
}

function takeDeposition(situation: Situation, subject: actions.SessionChange): void {
  guards.check(situation, actions.deposes, subject);
  if (subject.next.isProved && situation.known.dead.has(incarnationOf(subject.id))) return;
  const isMissing = subject.before?.text == null;
  guards.check(situation, isMissing ? actions.deposesMissing : actions.deposesLapsed, subject);
}

function takePartition(situation: Situation, index: number, change: RowChange): void {
  const { known, now } = situation;
  const subject = actions.partitionChange(known, index, change);
  const { kind, isRelease } = partitionText(change.text);
  guards.check(situation, actions.changesPartition, subject);
  if (kind === 'none') return guards.check(situation, actions.creates, subject);
  guards.check(situation, actions.replaces, subject);
  if (!isRelease) return takeClaim(situation, subject);
  guards.check(situation, actions.releases, subject);
  guards.check(situation, kind === 'free' ? actions.releasesToAll : actions.handsOver, subject);
  if (kind === 'owned') guards.check(situation, actions.issuesToken, subject);
  if (!known.releasing.has(index)) known.releasing.set(index, now);
}

function takeClaim(situation: Situation, subject: actions.PartitionChange): void {
  const { known } = situation;
  const { before } = subject;
  const owner = before.session ?? '';
  // What another session of this process owned needs no proof (M5).
  const needsProof = known.sessions.get(owner)?.isProved === true && !known.isOfThisProcess(owner);
  guards.check(situation, actions.claims, subject);
  known.claimed.add(subject.index);
  guards.check(situation, actions.issuesToken, subject);
  if (before.kind === 'none') guards.check(situation, actions.claimsNew, subject);
  else if (needsProof) guards.check(situation, actions.claimsProved, subject);
}
