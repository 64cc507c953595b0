// The notes of the candidates of a group with the guarantee `continuous`: records in partition 0 by which
// its members list each other. They are for people. No note is an input of the election, so a wrong, a lost
// or a late one leads to a wrong list, and to nothing else (decision 0226).
import { LeadershipError, type Metadata } from '@leadership/core';
import {
  type Host,
  type Instant,
  jsonFields,
  type KnownMember,
  type Publication,
  withTimeout,
} from '@leadership/core/adapter';
import {
  after,
  HealthReporter,
  isThresholdMs,
  type Presence,
  presenceIn,
} from '@leadership/core/internal/engine';
import type { MemberContext } from '../member-context.ts';

/** The interval between two notes of a member, in T. A note counts for T, so one of them may be lost. */
const intervalThresholds = 1 / 2;
/** Until then, a reader has received a note of each present candidate, in T. */
const completeThresholds = 3 / 5;
/** How long a member that closes waits for its last note, in T. */
const leavingThresholds = 1 / 3;
/** The topic of the trouble of a candidate whose notes are refused. */
const noting = 'note';
/** Members of one group that are remembered at once: anyone may write to the topic. */
const membersMax = 10_000;

/** The text of a note. */
interface NoteRecord extends Presence {
  readonly group: string;
  readonly incarnation: string;
  readonly thresholdMs: number;
  /** The member takes part no longer. */
  readonly isLast: boolean;
}

/** Another member, and until when it counts as present. */
interface Present {
  readonly member: KnownMember;
  readonly until: Instant;
}

/** The services that the notes of a member need, and what it says of itself. */
export interface NotesParts {
  readonly context: Pick<MemberContext, 'group' | 'thresholdMs' | 'clock'>;
  readonly host: Pick<Host, 'member' | 'incarnation' | 'members' | 'signal'> &
    ConstructorParameters<typeof HealthReporter>[0];
  readonly driftRate: number;
  readonly metadata: Metadata;
}

/** The notes of a group as one member sends and reads them. */
export class Notes {
  readonly #parts: NotesParts;
  readonly #others = new Map<string, Present>();
  readonly #since: number;
  readonly #troubles: HealthReporter;
  #publication: Publication = {};
  #isCandidate = false;
  /** Whether other members may list this one: an observer writes nothing. */
  #isNoted = false;
  #send: ((text: string) => Promise<void>) | undefined;
  #sending: Promise<void> = Promise.resolve();
  #completeAt: Instant | undefined;
  #nextSend: Disposable | undefined;
  #nextExpiry: Disposable | undefined;

  constructor(parts: NotesParts) {
    this.#parts = parts;
    this.#troubles = new HealthReporter(parts.host);
    this.#since = Math.floor(parts.context.clock.wallMicros() / 1000);
  }

  /** Sends notes from now on, if this member is a candidate. */
  connected(send: (text: string) => Promise<void>): void {
    if (this.#send !== undefined) return;
    this.#send = send;
    this.#sendRepeatedly();
  }

  /** Every later note will be read. */
  listening(): void {
    const { clock, thresholdMs } = this.#parts.context;
    this.#completeAt ??= after(clock.now(), completeThresholds * thresholdMs);
    this.#report();
  }

  /** Takes a text of partition 0. Returns whether it is a note, of whichever group. */
  take(text: string, receivedAt: Instant): boolean {
    const note = parseNote(text);
    if (note === undefined) return false;
    const { context, host, driftRate } = this.#parts;
    const { group, thresholdMs, isLast, ...presence } = note;
    const { incarnation } = presence;
    if (group !== context.group || incarnation === host.incarnation) return true;
    if (isLast) this.#others.delete(incarnation);
    else if (this.#others.size < membersMax || this.#others.has(incarnation))
      this.#others.set(incarnation, {
        member: { ...presence, isCandidate: true },
        until: after(receivedAt, thresholdMs * (1 + driftRate)),
      });
    this.#report();
    return true;
  }

  /** Begins or ends the candidacy of this member. */
  stand(isCandidate: boolean): void {
    if (isCandidate === this.#isCandidate) return;
    this.#isCandidate = isCandidate;
    this.#troubles.mend(noting);
    this.#report();
    this.#sendRepeatedly();
  }

  /** Takes what this member publishes. It travels with its next note. */
  publish(publication: Publication): void {
    this.#publication = publication;
    this.#report();
  }

  /** Whether a present candidate may be missing in the list. */
  isUnsure(): boolean {
    return this.#completeAt !== undefined && this.#parts.context.clock.now() < this.#completeAt;
  }

  /** Resolves once the last note is written, after a third of T, or when the host waits no longer. */
  async leave(): Promise<void> {
    const { context, host } = this.#parts;
    const { clock, thresholdMs } = context;
    this.stand(false);
    const limits = { clock, limitMs: leavingThresholds * thresholdMs, signal: host.signal };
    await withTimeout(limits, () => this.#sending).catch(() => undefined);
    for (const one of [this.#nextSend, this.#nextExpiry]) one?.[Symbol.dispose]();
  }

  #sendRepeatedly(): void {
    this.#nextSend?.[Symbol.dispose]();
    if (this.#send === undefined) return;
    const { context, host } = this.#parts;
    const { clock, group, thresholdMs } = context;
    const { incarnation } = host;
    const isLast = !this.#isCandidate;
    if (isLast && !this.#isNoted) return;
    this.#isNoted = !isLast;
    const note = { group, incarnation, thresholdMs, isLast, ...this.#presence };
    this.#sending = this.#send(noteText(note)).then(
      () => this.#troubles.mend(noting),
      (error: unknown) => this.#failed(error),
    );
    if (isLast) return;
    this.#nextSend = unreferenced(
      clock.wake(after(clock.now(), intervalThresholds * thresholdMs), () =>
        this.#sendRepeatedly(),
      ),
    );
  }

  /**
   * A note that is lost costs a place in a list, and its reader reports that the topic is away. A candidate
   * that may not write could not lead, and nothing else shows it before it has to.
   */
  #failed(error: unknown): void {
    const code = error instanceof LeadershipError ? error.code : undefined;
    const isRefused = code === 'unauthorized' || code === 'misconfigured-backend';
    if (isRefused && this.#isCandidate) this.#troubles.raise(noting, error);
  }

  get #presence(): Presence {
    const { host, metadata } = this.#parts;
    return { member: host.member, metadata, since: this.#since, ...this.#publication };
  }

  #report(): void {
    const { context, host } = this.#parts;
    const now = context.clock.now();
    for (const [incarnation, { until }] of this.#others)
      if (until <= now) this.#others.delete(incarnation);
    this.#nextExpiry?.[Symbol.dispose]();
    const others = [...this.#others.values()];
    const own = { incarnation: host.incarnation, isCandidate: true, ...this.#presence };
    host.members([...(this.#isCandidate ? [own] : []), ...others.map(({ member }) => member)]);
    const [first, ...rest] = others.map(({ until }) => until);
    if (first === undefined) return;
    const next = rest.reduce((one, other) => (other < one ? other : one), first);
    this.#nextExpiry = unreferenced(context.clock.wake(next, () => this.#report()));
  }
}

function unreferenced<T extends { unref?(): void }>(timer: T): T {
  timer.unref?.();
  return timer;
}

function noteText({ isLast, ...fields }: NoteRecord): string {
  return JSON.stringify({ kind: 'note', ...fields, ...(isLast && { isLast }) });
}

function parseNote(text: string): NoteRecord | undefined {
  const fields = jsonFields(text);
  if (fields?.['kind'] !== 'note') return undefined;
  const { group, incarnation, thresholdMs, isLast } = fields;
  if (typeof group !== 'string' || typeof incarnation !== 'string') return undefined;
  if (!isThresholdMs(thresholdMs)) return undefined;
  const of = { group, incarnation, thresholdMs: Number(thresholdMs) };
  return { ...of, isLast: isLast === true, ...presenceIn(fields) };
}
