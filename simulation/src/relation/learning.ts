// The fold of one input into the knowledge of a member, by the text of the rules
// (docs/reference/session-lease.md).
import type { Instant } from '@leadership/core/adapter';
import type { Exchanged, Input, NamedText, RowChange } from '@leadership/core/internal/sessions';
import {
  after,
  type Flight,
  type Knowledge,
  type KnownPartition,
  type KnownSession,
  type Moment,
} from './knowledge.ts';
import {
  leavesRoom,
  type PartitionText,
  partitionText,
  type SessionText,
  sessionText,
  subjectOf,
} from './texts.ts';

type InputOf<Kind extends Input['kind']> = Input & { readonly kind: Kind };

/** Folds one input. */
export function learn(known: Knowledge, input: Input, moment: Moment): void {
  const { now } = moment;
  known.ends = undefined;
  empty(known.changed);
  empty(known.wentBack);
  empty(known.writtenByHand);
  empty(known.outdated);
  const { own } = known;
  if (own?.isValid && now >= own.until) isOver(known, 'expired');
  switch (input.kind) {
    case 'exchanged':
      return learnAnswer(known, input, moment);
    case 'failed':
      return learnFailure(known, input.id, now);
    case 'floor':
      return learnFloor(known, input, moment);
    case 'notified':
      return learnShown(known, input.rows ?? [], now);
    case 'campaign':
      return learnCampaign(known, input.on, input.partition);
    case 'close':
      known.isClosing = true;
      return learnCampaign(known, false, undefined);
    case 'died':
      known.dead.add(input.incarnation);
      return;
    case 'prefer':
      if (input.who === 'nobody') known.unwanted.add(input.partition);
      else known.unwanted.delete(input.partition);
      // Another source wants it here, and has decided so after the resignation.
      if (input.who === 'self') known.resigned.delete(input.partition);
      if (input.above !== undefined) learnToken(known, input.partition, input.above, moment);
      return;
    case 'exceed':
      return learnToken(known, input.partition, input.token, moment);
    case 'resign':
      known.resigned.set(input.partition, after(now, input.abstainMs));
      known.leaving.add(input.partition);
      return;
    case 'drained':
    case 'fenced':
    case 'over':
      return learnEnd(known, input);
    case 'wake':
  }
}

/** V8 allocates a new table for each `clear`, also of an empty set. */
function empty(indexes: Set<number>): void {
  if (indexes.size > 0) indexes.clear();
}

/** The session of this member is over, for good (M2). */
function isOver(known: Knowledge, why: 'expired' | 'superseded'): void {
  known.own = undefined;
  known.claimed.clear();
  known.ends ??= why;
  known.releasing.clear();
  known.mayGiveUp = false;
}

function learnShown(known: Knowledge, rows: readonly NamedText[], now: Instant): void {
  for (const [name, text] of rows) {
    noteShown(known, text, now);
    const { kind, id } = subjectOf(name);
    const record = kind === 'partition' ? partitionText(text) : undefined;
    if (record?.session === undefined) continue;
    const [, session = null] = rows.find(([of]) => of === `session#${record.session}`) ?? [];
    const isShownAlive = sessionText(session).kind === 'live';
    const before = known.announced.get(Number(id)) ?? [];
    known.announced.set(Number(id), [...before, { record, isShownAlive, at: now }]);
  }
}

/** M3: what notifications had shown before an exchange was sent counts until it has ended. */
function outdate({ announced, outdated }: Knowledge, { sentAt }: Flight): void {
  for (const [index, before] of announced) {
    const later = before.filter(({ at }) => at > sentAt);
    if (later.length > 0) announced.set(index, later);
    else announced.delete(index);
    outdated.add(index);
  }
}

function noteShown(known: Knowledge, text: string | null, now: Instant): void {
  if (text !== null && !known.shown.has(text)) known.shown.set(text, now);
  forgetOldest(known.shown, shownMax);
}

/** The texts that are remembered: those that a member wrote, and those that it was shown and may read soon. */
export const writtenMax = 20_000;
const shownMax = 1000;

/** Keeps the latest `max`, and forgets many at once: to find the oldest passes all deleted ones. */
export function forgetOldest(texts: Map<string, unknown> | Set<string>, max: number): void {
  if (texts.size <= 1.25 * max) return;
  for (const oldest of texts.keys()) {
    if (texts.size <= max) return;
    texts.delete(oldest);
  }
}

function learnCampaign(known: Knowledge, on: boolean, partition: number | undefined): void {
  if (partition === undefined) {
    known.isCampaigning = on;
    known.candidacy.clear();
    if (on) known.resigned.clear();
    return;
  }
  known.candidacy.set(partition, on);
  if (on) known.resigned.delete(partition);
}

/** H3: work that was given up has the rest of its lease, however the term ended meanwhile. */
function learnEnd(known: Knowledge, input: InputOf<'drained' | 'fenced' | 'over'>): void {
  const { partition, token, kind } = input;
  const term = known.terms.get(partition);
  const ended = known.ended.get(partition);
  const isPresent = term?.token === token;
  if (kind === 'fenced')
    known.silentUntil.set(
      partition,
      !isPresent && ended?.token === token ? ended.until : known.reportedUntil,
    );
  // The deadline has ended it before.
  if (!isPresent || known.ends !== undefined) return;
  if (kind === 'drained' && term) known.terms.set(partition, { ...term, isDrained: true });
  else endTerm(known, partition);
}

/** A term has ended. */
export function endTerm(known: Knowledge, partition: number): void {
  const term = known.terms.get(partition);
  if (term) known.ended.set(partition, { token: term.token, until: known.reportedUntil });
  known.terms.delete(partition);
}

function learnToken(known: Knowledge, partition: number, token: bigint, moment: Moment): void {
  if (token > (known.seenTokens.get(partition) ?? 0n) && leavesRoom(token, moment.wallMicros))
    known.seenTokens.set(partition, token);
}

function learnFloor(known: Knowledge, { id, token }: InputOf<'floor'>, moment: Moment): void {
  const { floor } = known;
  const { call } = floor;
  if (call?.id !== id) return;
  known.floor = {
    token: token > floor.token && leavesRoom(token, moment.wallMicros) ? token : floor.token,
    readAt: call.isRead ? call.at : floor.readAt,
    call: undefined,
  };
}

function learnFailure(known: Knowledge, id: number, now: Instant): void {
  if (known.floor.call?.id === id) known.floor = { ...known.floor, call: undefined };
  if (known.flight?.id !== id) return;
  known.isUnsure = known.self.traits.readsFirst === true && known.flight.changes.length > 0;
  outdate(known, known.flight);
  known.flight = undefined;
  known.failedAt = now;
  // An opening is never repeated (M2).
  if (known.own?.isValid !== false) return;
  known.unopened += 1;
  isOver(known, 'expired');
}

function learnAnswer(
  known: Knowledge,
  { id, answer, hasMore }: InputOf<'exchanged'>,
  moment: Moment,
): void {
  const { flight } = known;
  if (flight?.id !== id) return;
  const isFirst = flight.shown.size === 0;
  const mayLack = !known.hasRead && known.self.traits.isDoubtedAtFirst === true;
  if (isFirst && (answer.isRestarted === true || mayLack)) doubt(known, moment);
  for (const [name, text] of answer.rows) read(known, name, text, moment);
  if (isRenewedBy(flight, answer)) noteSure(known, answer.rows);
  if (hasMore === true) {
    known.flight = { ...flight, shown: shownSoFar(flight, answer) };
    return;
  }
  if (answer.isWhole) readAbsent(known, shownSoFar(flight, answer), moment);
  outdate(known, flight);
  known.flight = undefined;
  known.isUnsure = false;
  known.position = answer.position;
  known.hasRead = true;
  if (flight.changes.length > 0) known.unopened = 0;
  learnOutcomes(known, flight, answer, moment);
  settleClaims(known, flight, answer);
}

/** Returns the names of the rows that an answer has shown, with those of its earlier parts. */
function shownSoFar(flight: Flight, { rows }: Exchanged): ReadonlySet<string> {
  const shown = new Set(flight.shown);
  for (const [name] of rows) shown.add(name);
  return shown;
}

/** M3: whether the own renewal took effect, or the opening. */
function isRenewedBy({ changes }: Flight, { outcomes }: Exchanged): boolean {
  const [first] = changes;
  return outcomes[0] === true && first !== undefined && isRenewal(first);
}

function isRenewal({ name, text }: RowChange): boolean {
  return subjectOf(name).kind === 'session' && sessionText(text).kind === 'live';
}

function noteSure({ partitions }: Knowledge, rows: readonly NamedText[]): void {
  for (const [name] of rows) {
    const { kind, id } = subjectOf(name);
    const index = Number(id);
    const known = kind === 'partition' ? partitions.get(index) : undefined;
    if (known && !known.isSure) partitions.set(index, { ...known, isSure: true });
  }
}

/** M13: a claim that was made, and that no reading shows yet, may still take effect; earlier ones not. */
function settleClaims(known: Knowledge, { changes }: Flight, { outcomes }: Exchanged): void {
  const made = changes.filter((_, at) => outcomes[at] === true).map(({ name }) => name);
  for (const index of known.claimed) {
    const isSeen = known.partition(index).session === known.own?.id;
    if (isSeen || !made.includes(`partition#${index}`)) known.claimed.delete(index);
  }
}

/** The answer to its own renewal shows it, where the store reads first; also that of its note. */
function learnOutcomes(
  known: Knowledge,
  { changes }: Flight,
  { outcomes }: Exchanged,
  moment: Moment,
): void {
  changes.forEach((change, index) => {
    if (outcomes[index] !== true) return;
    const { name, text } = change;
    const { kind, id } = subjectOf(name);
    const isNote = kind === 'member' && id === known.self.incarnation;
    if (isNote || (index === 0 && isRenewal(change))) read(known, name, text, moment);
  });
  // An opening that was not made is never repeated (M2).
  if (known.own?.isValid === false) isOver(known, 'expired');
}

function readAbsent(known: Knowledge, shown: ReadonlySet<string>, moment: Moment): void {
  const names = [
    'pin',
    ...[...known.partitions.keys()].map((index) => `partition#${index}`),
    ...[...known.sessions.keys()].map((id) => `session#${id}`),
    ...[...known.notes.keys()].map((id) => `member#${id}`),
  ];
  for (const name of names) if (!shown.has(name)) read(known, name, null, moment);
}

function read(known: Knowledge, name: string, text: string | null, moment: Moment): void {
  const { kind, id } = subjectOf(name);
  if (kind === 'session') return readSession(known, id, text, moment);
  if (kind === 'partition') return readPartition(known, Number(id), text, moment);
  if (kind === 'member' && text !== known.textOf(name))
    known.notes.set(id, { text, at: moment.now });
  else if (kind === 'pin') known.pin = text;
}

/** M6: rows that contradict what was known are doubted, and with a session all of them. */
function doubt(known: Knowledge, { now }: Moment): void {
  const until = after(now, known.waitMs(known.self.thresholdMsMax));
  if (until <= known.doubtUntil) return;
  known.doubtUntil = until;
  const { own } = known;
  if (own) known.own = { ...own, sureFrom: known.sentVersion + 1 };
}

function readSession(known: Knowledge, id: string, text: string | null, moment: Moment): void {
  const seen = known.sessions.get(id);
  const before = seen ?? absent(moment.now);
  if (text === before.text) {
    if (seen === undefined) known.sessions.set(id, before);
    return;
  }
  const session = newSession(known, before, text, moment.now);
  known.sessions.set(id, session);
  if (before.text !== null && text !== null && session.version <= before.version)
    doubt(known, moment);
  if (id === known.own?.id) proveOwn(known, text);
}

function newSession(
  { shown }: Knowledge,
  before: KnownSession,
  text: string | null,
  now: Instant,
): KnownSession {
  const session = sessionText(text);
  const isLive = session.kind === 'live';
  const at = (isLive ? shown.get(text ?? '') : undefined) ?? now;
  const { kind, version, thresholdMs, wants, partitionsMax, isProved } = session;
  const lastMs = lastThresholdMs(before, session);
  // Field by field: to spread the other record took a twelfth of the time of a simulation.
  return {
    kind,
    version,
    thresholdMs,
    wants,
    partitionsMax,
    isProved,
    text,
    at,
    readAt: now,
    lastThresholdMs: lastMs,
  };
}

/** T is constant within a session. Where one differs all the same, the longest counts. */
function lastThresholdMs(before: KnownSession, { kind, thresholdMs }: SessionText): number {
  if (kind !== 'live') return before.lastThresholdMs;
  return before.kind === 'live' ? Math.max(thresholdMs, before.lastThresholdMs) : thresholdMs;
}

function absent(at: Instant): KnownSession {
  return { ...sessionText(null), text: null, at, readAt: at, lastThresholdMs: 0 };
}

/** M2: the record in effect proves the lease by its attempt; any other record ends the session. */
function proveOwn(known: Knowledge, text: string | null): void {
  const { own, self } = known;
  if (own === undefined) return;
  const attempt = own.attempts.find((one) => one.text === text);
  if (attempt === undefined) return isOver(known, 'superseded');
  const { sentAt } = attempt;
  const until = after(sentAt, self.thresholdMs * (1 - self.driftRate));
  const latest = until > own.until ? { until, provedAt: sentAt } : undefined;
  known.own = { ...own, ...latest, isValid: true, attempts: [] };
}

function readPartition(known: Knowledge, index: number, text: string | null, moment: Moment): void {
  const before = known.partition(index);
  if (before.text === text) return;
  const { now } = moment;
  const record = partitionText(text);
  known.changed.add(index);
  if (before.text !== null && text !== null && isBack(before, record)) {
    known.wentBack.add(index);
    known.doubts.set(index, after(now, known.waitMs(known.self.thresholdMsMax)));
  }
  // M5: its owner before may lead.
  if (record.isByHand) {
    known.writtenByHand.add(index);
    known.doubts.set(index, after(now, known.waitMs(known.self.thresholdMsMax)));
  }
  const { session, token } = record;
  const ownedSince = session === before.session ? before.ownedSince : now;
  known.partitions.set(index, { ...record, text, at: now, isSure: false, ownedSince });
  known.releasing.delete(index);
  learnToken(known, index, token, moment);
  if (session !== undefined && !known.sessions.has(session))
    known.sessions.set(session, absent(now));
}

/** An older version never replaces a newer one (M3); another life is another row. */
function isBack(before: KnownPartition, { life, version }: PartitionText): boolean {
  return life !== before.life || version <= before.version;
}
