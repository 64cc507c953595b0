/** What a member of an election says, as far as everyone can tell. */
export interface Said {
  readonly kind: string;
  /** Nanoseconds on the host's monotonic clock, as text. */
  readonly atNs?: string;
}

/** A member in a process of its own, whatever the election: it says `ready`, and `leading` whenever it begins to lead. */
export interface Contender {
  hear(listen: (said: Said) => void): Disposable;
  kill(): Promise<void>;
}

/** A member that is listened to. */
export interface Attended<M extends Contender> {
  readonly member: M;
  /** Whether it leads, by what it said last. */
  readonly leads: boolean;
}

/** What is said by one that leads no more. */
const ends = new Set(['waiting', 'revoked', 'fenced']);
/** What has not come by then is not coming: several times the longest session that is measured. Milliseconds. */
const patienceMs = 60_000;

/** Listens to a member from now on. */
function attend<M extends Contender>(member: M): Attended<M> {
  let leads = false;
  member.hear(({ kind }) => {
    leads = kind === 'leading' || (leads && !ends.has(kind));
  });
  return {
    member,
    get leads() {
      return leads;
    },
  };
}

/** Starts a member; resolves once it is ready. One that never is does not stay. */
export async function joined<M extends Contender>(start: () => M): Promise<Attended<M>> {
  const attended = attend(start());
  try {
    await heard([attended.member], 'ready');
    return attended;
  } catch (error) {
    await attended.member.kill();
    throw error;
  }
}

/** The one that leads, where it is one. */
export function soleLeader<M extends Contender>(members: readonly Attended<M>[]): Attended<M> | undefined {
  const leaders = members.filter(({ leads }) => leads);
  return leaders.length === 1 ? leaders[0] : undefined;
}

/** When the first of them says that from now on. Rejects where none does. */
export function heard(members: readonly Contender[], kind: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const ears = members.map((member) =>
      member.hear((said) => {
        if (said.kind === kind) settle(() => resolve(said.atNs ?? ''));
      }),
    );
    const timer = setTimeout(() => settle(() => reject(new Error(`nobody said "${kind}" within ${patienceMs} ms`))), patienceMs);
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      for (const ear of ears) ear[Symbol.dispose]();
      then();
    };
  });
}
