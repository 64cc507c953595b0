// The actions that a member of the session lease may take, by the text of the rules
// (docs/reference/session-lease.md). Each action has guards: plain functions, named by the number of
// their rule. An action whose guards do not all hold contradicts the rules.
import type { Output, RowChange } from '@leadership/core/internal/sessions';
import { type Action as CommonAction, Guards } from './guards.ts';
import type { Knowledge, KnownPartition, KnownSession, Moment } from './knowledge.ts';
import {
  fieldsOf,
  incarnationOf,
  leavesRoom,
  leavesVersion,
  numberOf,
  partitionText,
  type SessionText,
  sessionText,
  subjectOf,
  summed,
} from './texts.ts';

/** The step in which an action occurs, and what the member knows by then. */
export interface Situation extends Moment {
  readonly known: Knowledge;
}

export type Action<Subject> = CommonAction<Situation, Subject>;

export type OutputOf<Kind extends Output['kind']> = Output & { readonly kind: Kind };

/** The guards of the session lease. */
export const guards: Guards<Situation> = new Guards<Situation>();

/** A change of the row of a session: its id, what it holds as the member has read it, and its text. */
export interface SessionChange {
  readonly id: string;
  readonly before: KnownSession | undefined;
  readonly next: SessionText;
  readonly change: RowChange;
}

/** A change of the row of a partition, in the same way. */
export interface PartitionChange {
  readonly index: number;
  readonly before: KnownPartition;
  readonly next: ReturnType<typeof partitionText>;
  readonly change: RowChange;
}

// ── Requests ──

/** Sends an exchange. */
export const sends: Action<OutputOf<'exchange'>> = guards.action('sends', {
  'M1 has no other exchange without an answer': ({ known }) => known.flight === undefined,
  'M1 reads since the position of its last exchange': ({ known }, { since }) =>
    since === known.position,
  'M1 the first request changes nothing': ({ known }, { changes }) =>
    known.hasRead || changes.length === 0,
  'M1 only reads after a failure, where the store reads first': ({ known }, { changes }) =>
    !known.isUnsure || changes.length === 0,
  'M1 only an observer may read an older state': ({ known }, { mayLag = false, changes }) =>
    !mayLag || (changes.length === 0 && known.isObserver),
  'M1 renews, or ends, its session before it changes partitions': ({ known }, { changes }) => {
    const names = changes.map(({ name }) => name);
    const first = names.find((name) => name.startsWith('partition#') || known.isOwnSession(name));
    return known.own === undefined || first === undefined || known.isOwnSession(first);
  },
});

/** Changes a row. */
export const changes: Action<RowChange> = guards.action('changes', {
  'rows: expects the text in effect, or a release that a notification has shown (M5)': (
    { known },
    change,
  ) => change.expected === known.textOf(change.name) || shownRelease(known, change) !== undefined,
});

/** Writes a text that is not the end of a session. */
export const writes: Action<RowChange> = guards.action('writes', {
  'rows: uses no text twice': ({ known }, { text }) => text !== null && !known.written.has(text),
});

// ── The own session ──

/** Opens a session. */
export const opens: Action<SessionChange> = guards.action('opens', {
  'M2 a later number, of which there is no row, in one request': ({ known }, { id, change }) =>
    known.isOfThisProcess(id) && numberOf(id) > known.opened && change.expected === null,
  'M2 no ownership row names it': ({ known }, { id }) => !isNamed(known, id),
  'M2 its earlier session leads nothing': ({ known }) => known.terms.size === 0,
  'M2 campaigns for some partition, in a group with its values (R3)': ({ known }) =>
    hasPin(known) && (known.isCampaigning || [...known.candidacy.values()].includes(true)),
  'M2 after two without an answer, once another change was answered': ({ known }) =>
    known.unopened < 2 || !known.isCampaigning,
});

/** Renews its session. */
export const renews: Action<SessionChange> = guards.action('renews', {
  'M2 the session was seen in effect, and is not over': ({ known, now }) =>
    known.own?.isValid === true && now < known.own.until,
  'rows: the version follows': ({ known }, { before, next }) =>
    known.own !== undefined && next.version === (before?.version ?? -1) + 1,
});

/** Says what others rely on, when it opens or renews. */
export const states: Action<SessionChange> = guards.action('states', {
  'rows: T is constant within a session': ({ known }, { next }) =>
    next.thresholdMs === known.self.thresholdMs,
  'rows: asks for at most 64 partitions': (_situation, { next }) => next.wants.length <= 64,
  'M6 asks for none in doubt': ({ known, now }, { next }) =>
    now >= known.doubtUntil || next.wants.length === 0,
  'M13 says its limit': ({ known }, { next }) => next.partitionsMax === known.limit,
  'M13 asks for no more than it has room for': ({ known }, { next }) =>
    known.limit === Number.POSITIVE_INFINITY ||
    next.wants.length === 0 ||
    new Set([...known.taken(), ...next.wants]).size <= known.limit,
});

/** Ends its session, which frees what it owns. */
export const endsSession: Action<SessionChange> = guards.action('endsSession', {
  'M9 leads nothing': ({ known }) => known.terms.size === 0,
  'M9 every partition was released or waited for': ({ known, now }, { id }) =>
    [...known.silentUntil].every(
      ([index, until]) => now >= until || known.partition(index).session !== id,
    ),
  'M5 owns no partition that it doubts': ({ known, now }, { id }) =>
    [...known.doubts].every(
      ([index, until]) => now >= until || known.partition(index).session !== id,
    ),
  'rows: the version follows': (_situation, { before, next }) =>
    next.version === (before?.version ?? -1) + 1,
});

// ── Other sessions ──

/** Deposes a session. */
export const deposes: Action<SessionChange> = guards.action('deposes', {
  'M4 all candidates write the same text': (_situation, { id, before, next, change }) =>
    next.version === (before?.version ?? -1) + 1 &&
    change.text ===
      withItsSum({
        kind: 'deposed',
        session: id,
        version: next.version,
        ...(next.isProved && { isProved: true }),
      }),
  'M4 nothing replaces a dead record': (_situation, { before }) => before?.kind !== 'dead',
  'M6 not in doubt': ({ known, now }) => now >= known.doubtUntil,
  'M10 proved only with a proof about that incarnation': ({ known }, { id, next }) =>
    !next.isProved || known.dead.has(incarnationOf(id)),
});

function withItsSum(fields: object): string {
  return JSON.stringify({ ...fields, sum: summed(JSON.stringify(fields)) });
}

/** Deposes a session without a proof, by its record. */
export const deposesLapsed: Action<SessionChange> = guards.action('deposesLapsed', {
  'M4 received the record T(1 + ρ) ago': ({ known, now }, { before }) =>
    before !== undefined &&
    now >= before.at + known.waitMs(before.lastThresholdMs || known.self.thresholdMsMax) - rounding,
});

/** Deposes a session whose row is missing. */
export const deposesMissing: Action<SessionChange> = guards.action('deposesMissing', {
  'M4 has read so for T_max(1 + ρ)': ({ known, now }, { before }) =>
    before !== undefined && now >= before.at + known.waitMs(known.self.thresholdMsMax) - rounding,
  'M4 an ownership row names it': ({ known }, { id }) => isNamed(known, id),
});

/** Removes the row of a session. */
export const sweeps: Action<SessionChange> = guards.action('sweeps', {
  'M11 the session is dead': (_situation, { before }) => before?.kind === 'dead',
  'M11 no ownership row names it': ({ known }, { id }) => !isNamed(known, id),
  'M11 it is dead for 10 T_max, one of its own process for 3 T_max': (
    { known, now },
    { id, before },
  ) => {
    const ms = (known.isOfThisProcess(id) ? 3 : 10) * known.self.thresholdMsMax;
    return before !== undefined && now >= before.at + ms - rounding;
  },
});

function isNamed(known: Knowledge, id: string): boolean {
  for (const { session } of known.partitions.values()) if (session === id) return true;
  return false;
}

// ── Partitions ──

/** Changes a partition. */
export const changesPartition: Action<PartitionChange> = guards.action('changesPartition', {
  'M9 does not lead it': ({ known }, { index }) => !known.terms.has(index),
});

/** Creates the row of a partition. */
export const creates: Action<PartitionChange> = guards.action('creates', {
  'R3 the pin has its own values': ({ known }) => hasPin(known),
  'rows: the row is missing': (_situation, { before }) => before.kind === 'missing',
  'rows: the life is new': (_situation, { before, next }) =>
    next.life !== '' && next.life !== before.life && next.version === 0,
  'M6 not in doubt': ({ known, now }, { index }) => !known.isDoubted(now, index),
});

/** Replaces the record of a partition. */
export const replaces: Action<PartitionChange> = guards.action('replaces', {
  'M5 keeps silent after a drain time-out (H3)': ({ known, now }, { index }) =>
    now >= (known.silentUntil.get(index) ?? now),
  'rows: the life stays, and the version follows; or a new life, where none would': (
    _situation,
    { before, next },
  ) =>
    leavesVersion(before.version)
      ? before.kind !== 'missing' &&
        next.life === before.life &&
        next.version === before.version + 1
      : next.life !== before.life && next.version === 0,
});

/** Claims a partition. */
export const claims: Action<PartitionChange> = guards.action('claims', {
  'R3 the pin has its own values': ({ known }) => hasPin(known),
  'M5 with a session that is valid, or opened in the same request': ({ known, now }, { next }) =>
    known.own !== undefined &&
    next.session === known.own.id &&
    (!known.own.isValid || now < known.own.until),
  'M5 is a candidate, and has not resigned': ({ known, now }, { index }) =>
    known.isCandidateFor(index) &&
    !known.unwanted.has(index) &&
    now >= (known.resigned.get(index) ?? now),
  'M6 not in doubt': ({ known, now }, { index }) => !known.isDoubted(now, index),
  'M5 over no record that was written by hand and only shown': ({ known }, { before, change }) =>
    !before.isByHand || change.expected === known.textOf(change.name),
  'M13 has room for it, beside what it has and has claimed': ({ known }, { index }) =>
    known.limit === Number.POSITIVE_INFINITY ||
    new Set([...known.taken(), ...known.claimed, index]).size <= known.limit,
  'M5 the record in effect is none by which another session may lead': ({ known }, { before }) =>
    before.kind === 'none' ||
    before.kind === 'free' ||
    (before.session !== undefined &&
      (known.isOfThisProcess(before.session) ||
        known.sessions.get(before.session)?.kind === 'dead')),
});

/** Claims a partition that no session has owned in this life. */
export const claimsNew: Action<PartitionChange> = guards.action('claimsNew', {
  'M5 first read the life T_max(1 + ρ) ago': ({ known, now }, { before }) =>
    now >= before.at + known.waitMs(known.emptyMs) - rounding,
  'T1 has read the second place since': ({ known }, { before }) =>
    known.self.hasFloor !== true || known.floor.readAt >= before.at,
});

/** Claims what a dead session owned. */
export const claimsProved: Action<PartitionChange> = guards.action('claimsProved', {
  'M10 the row named a session that was proved dead for T(1 + ρ)': ({ known, now }, { before }) => {
    const { lastThresholdMs = 0 } = known.sessions.get(before.session ?? '') ?? {};
    return now >= before.ownedSince + known.waitMs(lastThresholdMs) - rounding;
  },
});

/** Begins a term by a record: a claim, or a release to another session. */
export const issuesToken: Action<PartitionChange> = guards.action('issuesToken', {
  'T1 the token exceeds all before, and reaches the clock': (
    { known, wallMicros },
    { index, before, next },
  ) => {
    const seen = known.seenTokens.get(index) ?? 0n;
    const isNewer = before.token > seen && leavesRoom(before.token, wallMicros);
    const least = (isNewer ? before.token : seen) + 1n;
    const wall = BigInt(wallMicros);
    // One that the second place had to have first is older than the request.
    if (known.self.hasFloor === true) return next.token >= least;
    return next.token === (wall > least ? wall : least);
  },
});

/** Releases a partition. */
export const releases: Action<PartitionChange> = guards.action('releases', {
  'M9 owns it': ({ known }, { before }) =>
    before.session !== undefined && before.session === known.own?.id,
});

/** Releases a partition to no session. */
export const releasesToAll: Action<PartitionChange> = guards.action('releasesToAll', {
  'T1 keeps the token; the greatest that it has read, if that one leaves no room': (
    { known, wallMicros },
    { index, before, next },
  ) =>
    leavesRoom(before.token, wallMicros)
      ? next.token === before.token
      : next.token >= (known.seenTokens.get(index) ?? 0n) && leavesRoom(next.token, wallMicros),
});

/** Releases a partition to another session. */
export const handsOver: Action<PartitionChange> = guards.action('handsOver', {
  'M6 not in doubt': ({ known, now }) => now >= known.doubtUntil,
  'M8 its record arrived within 0.75 T': ({ known, now }, { next }) => {
    const session = known.sessions.get(next.session ?? '');
    return (
      session?.kind === 'live' && now < session.readAt + 0.75 * session.lastThresholdMs + rounding
    );
  },
  'T1 has raised the second place before': ({ known }, { next }) =>
    known.self.hasFloor !== true || next.token <= known.floor.token,
  'M13 as far as it has read, that session has room': ({ known }, { next }) => {
    const { session = '' } = next;
    const owned = [...known.partitions.values()].filter((one) => one.session === session);
    return owned.length < (known.sessions.get(session)?.partitionsMax ?? Number.POSITIVE_INFINITY);
  },
  'M8 it is of another process': ({ known }, { next }) =>
    next.session !== undefined && !known.isOfThisProcess(next.session),
  'M8 asks for the partition, unless its owner resigns, closes, or has not led it': (
    { known },
    { index, before, next },
  ) =>
    known.isClosing ||
    known.leaving.has(index) ||
    before.token !== known.ledTokens.get(index) ||
    known.releasing.size > 0 ||
    known.mayGiveUp ||
    known.sessions.get(next.session ?? '')?.wants.includes(index) === true,
});

// ── The member ──

/** Leaves a note, or removes its own. */
export const notes: Action<RowChange> = guards.action('notes', {
  'rows: campaigns, and has no session in effect': ({ known }, { text }) =>
    text === null || (known.isCampaigning && known.own?.isValid !== true),
});

/** Removes the note of another process. */
export const sweepsNote: Action<RowChange> = guards.action('sweepsNote', {
  'M11 only removes it, when it has not changed for its T(1+ρ)': (
    { known, now },
    { name, text },
  ) => {
    const { at, text: before } = known.notes.get(subjectOf(name).id) ?? { at: now, text: null };
    const { thresholdMs = known.self.thresholdMsMax } = fieldsOf(before ?? '{}');
    const ms = Number(thresholdMs) * (1 + known.self.driftRate);
    return text === null && now >= at + ms - rounding;
  },
});

/** Writes the pin. */
export const pins: Action<RowChange> = guards.action('pins', {
  'R3 there is none': ({ known }) => known.hasRead && known.pin === null,
  'R3 it has its own values': ({ known }, { text }) => hasValues(known, text),
});

function hasPin(known: Knowledge): boolean {
  return hasValues(known, known.pin);
}

function hasValues({ self }: Knowledge, text: string | null): boolean {
  const { lease, partitions, thresholdMsMax, pinned } = fieldsOf(text ?? '{}');
  const of = self.shard ?? { partitions: self.partitions, shards: undefined };
  const { shards } = (pinned ?? {}) as { readonly shards?: unknown };
  return (
    lease === 'session' &&
    partitions === of.partitions &&
    (of.shards === undefined || shards === String(of.shards)) &&
    thresholdMsMax === self.thresholdMsMax
  );
}

/** Asks the second place of the greatest token. */
export const asksFloor: Action<OutputOf<'floor'>> = guards.action('asksFloor', {
  'T1 has no other call without an answer': ({ known }) => known.floor.call === undefined,
  'T1 only raises it': ({ known }, { raise }) => raise === undefined || raise > known.floor.token,
});

/** Sums of milliseconds are not exact. */
export const rounding = 1e-6;

/** Returns a change of the row of a session. */
export function sessionChange(known: Knowledge, id: string, change: RowChange): SessionChange {
  return { id, before: known.sessions.get(id), next: sessionText(change.text), change };
}

/** Returns a change of the row of a partition, and what it replaces. */
export function partitionChange(
  known: Knowledge,
  index: number,
  change: RowChange,
): PartitionChange {
  const before = { ...known.partition(index), ...shownRelease(known, change) };
  return { index, before, next: partitionText(change.text), change };
}

/** Returns the release to no session that a claim replaces, if only a notification has shown it. */
function shownRelease(
  known: Knowledge,
  { name, expected }: RowChange,
): PartitionChange['next'] | undefined {
  if (expected === null || expected === known.textOf(name)) return undefined;
  const record = partitionText(expected);
  return record.kind === 'free' && known.shown.has(expected) ? record : undefined;
}
