// The terms of a member of the session lease, and what it must do, by the text of the rules
// (docs/reference/session-lease.md).
import type { Instant } from '@leadership/core/adapter';
import { type Action, guards, type OutputOf, rounding } from './actions.ts';
import type { Announcement, Knowledge, Leader } from './knowledge.ts';
import { incarnationOf, type PartitionText } from './texts.ts';

// ── Terms ──

/** Prolongs the lease. */
export const prolongs: Action<OutputOf<'prolonged'>> = guards.action('prolongs', {
  'M2 counts T(1 − ρ) from before it sent the exchange that took effect': (
    { known },
    { until, sentAt },
  ) => known.own?.isValid === true && until === known.own.until && sentAt === known.own.provedAt,
  'M2 the latest deadline counts': ({ known }, { until }) => until > known.reportedUntil,
});

/** Begins a term. */
export const begins: Action<OutputOf<'granted'>> = guards.action('begins', {
  'M3 its session is valid': ({ known, now }) =>
    known.own?.isValid === true && now < known.own.until,
  'M3 the row in its exchanges names the session, with that token': (
    { known },
    { partition, token },
  ) => {
    const record = known.partition(partition);
    return record.session === known.own?.id && record.token === token;
  },
  'M3 an exchange has shown the row whose own renewal took effect': ({ known }, { partition }) =>
    known.partition(partition).isSure,
  'M3 a term never resumes (T3)': ({ known }, { partition, token }) =>
    !known.terms.has(partition) && token > (known.ledTokens.get(partition) ?? -1n),
  'T1 the token leaves room for later ones': ({ wallMicros }, { token }) =>
    token <= BigInt(wallMicros) + 2n ** 61n,
  'T1 has raised the second place before, for a claim': ({ known }, { partition, token }) =>
    known.self.hasFloor !== true ||
    known.partition(partition).isRelease ||
    token <= known.floor.token,
  'M5 keeps silent after a drain time-out (H3)': ({ known, now }, { partition }) =>
    now >= (known.silentUntil.get(partition) ?? now),
  'M6 not in doubt': ({ known, now }, { partition }) => !known.isDoubted(now, partition),
  'M6 the record rests on a version of the session from after the last loss': (
    { known },
    { partition },
  ) => known.partition(partition).seen >= (known.own?.sureFrom ?? 0),
  'M13 leads fewer partitions than its limit': ({ known }) => known.terms.size < known.limit,
  'M9 is a candidate': ({ known }, { partition }) =>
    known.isCandidateFor(partition) && !known.unwanted.has(partition),
});

/** Lets the work of a term end. */
export const drains: Action<OutputOf<'drain'>> = guards.action('drains', {
  'H1 leads, and does not drain yet': ({ known }, { partition, token }) => {
    const term = known.terms.get(partition);
    return term?.token === token && !term.isDraining;
  },
});

/** Ends a term in order. */
export const endsInOrder: Action<OutputOf<'released'>> = guards.action('endsInOrder', {
  'H2 its work has drained': ({ known }, { partition }) =>
    known.terms.get(partition)?.isDrained === true,
});

/** Fences a term. */
export const fences: Action<OutputOf<'lost'>> = guards.action('fences', {
  'M3 has the term': ({ known }, { partition }) => known.terms.has(partition),
  'M3 its session is over, or another record is in effect': ({ known }, { partition }) =>
    known.ends !== undefined || known.changed.has(partition),
  'M2 expires at the deadline': ({ known }, { reason }) =>
    (reason === 'expired') === (known.ends === 'expired'),
});

/** Reports the leader of a partition. */
export const reports: Action<OutputOf<'leader'>> = guards.action('reports', {
  'M3 the session that the row names, which is alive': ({ known }, { partition, leader }) => {
    if (leader === undefined) return true;
    const { session = '', token } = known.partition(partition);
    return (
      known.sessions.get(session)?.kind === 'live' &&
      incarnationOf(session) === leader.incarnation &&
      token === leader.token
    );
  },
});

/** Reports the leader by a record that a notification has shown, and that is not read yet. */
export const reportsShown: Action<Announced> = guards.action('reportsShown', {
  'M3 in the same life, and newer than the row': ({ known }, { partition, record }) => {
    const { life, version } = known.partition(partition);
    return record.life === life && record.version > version;
  },
  'M3 its session is alive, as it was read or shown': ({ known }, { record, isShownAlive }) => {
    const { kind = 'absent' } = known.sessions.get(record.session ?? '') ?? {};
    return kind === 'live' || (kind === 'absent' && isShownAlive);
  },
  'M3 of another process': ({ known }, { record }) => !known.isOfThisProcess(record.session ?? ''),
  'M3 has no term of it': ({ known }, { partition }) => !known.terms.has(partition),
});

/** An owner of a partition that a notification has shown. */
export interface Announced extends Announcement {
  readonly partition: number;
}

/** Returns the record by which a member reports a leader, if a notification has shown it. */
export function announcedBy(
  known: Knowledge,
  partition: number,
  leader: Leader,
): Announced | undefined {
  if (leader === undefined || isOwner(known.partition(partition), leader)) return undefined;
  const shown = known.announced.get(partition)?.filter(({ record }) => isOwner(record, leader));
  // The session may be shown only when the record is shown again.
  const announced = shown?.findLast(({ isShownAlive }) => isShownAlive) ?? shown?.[0];
  return announced && { ...announced, partition };
}

function isOwner({ session, token }: PartitionText, leader: NonNullable<Leader>): boolean {
  return (
    session !== undefined && incarnationOf(session) === leader.incarnation && token === leader.token
  );
}

/** Reports that a row contradicts what was known. */
export const complains: Action<OutputOf<'broken'>> = guards.action('complains', {
  'M6 the row went back, or was written by hand (M5)': ({ known }, { partition, rule }) =>
    (rule === 'M5' ? known.writtenByHand : known.wentBack).has(partition),
});

/** Reports that nothing of a dead process is left. */
export const buries: Action<OutputOf<'buried'>> = guards.action('buries', {
  'M10 no session of it is alive': ({ known }, { incarnation }) =>
    known.dead.has(incarnation) &&
    ![...known.sessions].some(
      ([id, { kind }]) => kind === 'live' && incarnationOf(id) === incarnation,
    ),
});

/** Ends. */
export const closes: Action<undefined> = guards.action('closes', {
  'M9 was asked to, and leads nothing': ({ known }) => known.isClosing && known.terms.size === 0,
});

// ── Duties ──

/** What must have ended by the end of a step. */
export const mustEnd: Action<undefined> = guards.action('mustEnd', {
  'M2 every term, if the session is over': ({ known }) => known.terms.size === 0,
});

/** A record that has replaced the one of a term. */
export const mustFence: Action<number> = guards.action('mustFence', {
  'M3 a term whose record is replaced': ({ known }, partition) => {
    const term = known.terms.get(partition);
    const { session, token } = known.partition(partition);
    return term === undefined || (session === known.own?.id && token === term.token);
  },
});

/** Has read a partition, or failed to, since a notification showed its leader. */
export const mustCorrect: Action<number> = guards.action('mustCorrect', {
  'M3 reports no leader but that of the row, or one that was shown since': (
    { known },
    partition,
  ) => {
    const leader = known.reported.get(partition);
    return (
      leader === undefined ||
      isOwner(known.partition(partition), leader) ||
      announcedBy(known, partition, leader) !== undefined
    );
  },
});

/** Leads after a step. */
export const goesOn: Action<Instant> = guards.action('goesOn', {
  'M2 wakes by the deadline': ({ known }, wakeAt) =>
    known.own !== undefined && wakeAt <= known.own.until,
});

/** Has a session after a decision, and no exchange without an answer. */
export const waits: Action<Instant> = guards.action('waits', {
  'M1 renews every T/3': ({ known, now }, wakeAt) =>
    wakeAt <=
    Math.max(now, known.lastSentAt, known.failedAt) + known.self.thresholdMs / 3 + rounding,
});

/** Could not release a partition for T. */
export const mustGiveUp: Action<undefined> = guards.action('mustGiveUp', {
  'M9 lets the work of all partitions end, as its session ends': ({ known }) =>
    [...known.terms.values()].every(({ isDraining }) => isDraining),
});
