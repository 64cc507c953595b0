/** A message of a member, for any backend. */
export interface MemberMessage {
  readonly kind: string;
  /** Nanoseconds on the host's monotonic clock, as a decimal string. */
  readonly atNs?: string;
}

/**
 * Returns the instant of a message, in nanoseconds on the host's monotonic clock.
 * @throws Error if the message has none
 */
export function instantNs({ kind, atNs }: MemberMessage): bigint {
  if (atNs === undefined)
    throw new Error(`message "${kind}" has no atNs: the member must report when it happened`);
  return BigInt(atNs);
}

/**
 * A member process of any backend. It reports `ready` once, and `leading` whenever it begins to
 * lead.
 */
export interface MemberProcess {
  listen(listener: (message: MemberMessage) => void): Disposable;
  kill(): Promise<void>;
}

/** A member whose messages are tracked. */
export interface TrackedMember<M extends MemberProcess> {
  readonly member: M;
  /** Whether the member leads, according to its latest message. */
  readonly leads: boolean;
}

/** The messages that end a term. */
const ends = new Set(['waiting', 'revoked', 'fenced']);
/**
 * The time to wait for a message, in milliseconds: several times the longest session timeout that
 * is measured.
 */
const timeoutMs = 60_000;

/** Starts to track a member. */
function track<M extends MemberProcess>(member: M): TrackedMember<M> {
  let leads = false;
  member.listen(({ kind }) => {
    leads = kind === 'leading' || (leads && !ends.has(kind));
  });
  return {
    member,
    get leads() {
      return leads;
    },
  };
}

/**
 * Starts a member and resolves once it is ready. Kills the member and rejects if it is not ready in
 * time.
 */
export async function startTracked<M extends MemberProcess>(
  start: () => M,
): Promise<TrackedMember<M>> {
  const tracked = track(start());
  try {
    await nextFrom([tracked.member], 'ready');
    return tracked;
  } catch (error) {
    await tracked.member.kill();
    throw error;
  }
}

/** Returns the leader, or `undefined` unless exactly one member leads. */
export function soleLeader<M extends MemberProcess>(
  members: readonly TrackedMember<M>[],
): TrackedMember<M> | undefined {
  const leaders = members.filter(({ leads }) => leads);
  return leaders.length === 1 ? leaders[0] : undefined;
}

/**
 * Resolves with the next message of this kind from any of the members. Rejects if none arrives in
 * time.
 */
export function nextFrom(members: readonly MemberProcess[], kind: string): Promise<MemberMessage> {
  return new Promise((resolve, reject) => {
    const subscriptions = members.map((member) =>
      member.listen((message) => {
        if (message.kind === kind) settle(() => resolve(message));
      }),
    );
    const timer = setTimeout(
      () => settle(() => reject(new Error(`no member reported "${kind}" within ${timeoutMs} ms`))),
      timeoutMs,
    );
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      then();
    };
  });
}
