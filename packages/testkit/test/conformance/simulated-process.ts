// Simulates a member process inside this one, with the same events by the same rules. Killing cuts
// its connection; stopping freezes its timers and its deliveries. So a test can try a wrong member
// without a separate process.
import { setTimeout as pause } from 'node:timers/promises';
import type { Leadership, LeadershipSource, Term } from '@leadership/core';
import { type Clock, monotonicClock } from '@leadership/core/adapter';
import { fileFencedStore, fileUnfencedStore } from '../../src/processes/file-store.ts';
import type { MemberEvent, MemberWork, ProcessMember } from '../../src/processes/process-member.ts';
import type { Flaws } from './loose-cluster.ts';
import type { Line } from './loose-rows.ts';

/** One member as the cluster keeps it. */
export interface Kept {
  readonly line: Line;
  readonly source: LeadershipSource;
}

/** A clock that continues while its owner is stopped, and delays wake-ups until it resumes. */
export interface StoppableClock extends Clock {
  isStopped: boolean;
  readonly late: (() => void)[];
}

export function stoppableClock(): StoppableClock {
  const own: StoppableClock = {
    ...monotonicClock,
    isStopped: false,
    late: [],
    wake: (at, callback) =>
      monotonicClock.wake(at, () => (own.isStopped ? own.late.push(callback) : callback())),
  };
  return own;
}

/** Returns the simulated process of a member, which ends and leaves open what the flaws say. */
export function simulatedProcess(
  { source, line }: Kept,
  clock: StoppableClock,
  work: MemberWork,
  { endsBy = () => Promise.resolve(), leaves }: Pick<Flaws, 'endsBy' | 'leaves'>,
): ProcessMember {
  const events: MemberEvent[] = [];
  const life = crypto.randomUUID();
  let isDead = false;
  const note = (event: Omit<MemberEvent, 'member' | 'life' | 'atNs'>): void => {
    if (!isDead)
      events.push({ atNs: process.hrtime.bigint(), member: source.member, life, ...event });
  };
  const look = watchBelief(source, clock, note);
  const looking = setInterval(look, 2);
  if (work.kind === 'close' && leaves !== undefined) note({ kind: 'left', detail: leaves });
  source.ready().then(
    () => note({ kind: 'ready' }),
    () => undefined,
  );
  const working = new Set<Promise<void>>();
  void source.leadEach(async (term) => {
    note({ kind: 'working', partition: 0, token: term.token });
    const performed = perform({ work, term, clock, note, isDead: () => isDead });
    working.add(performed);
    await performed.finally(() => working.delete(performed));
    note({ kind: 'settled', partition: 0, token: term.token });
  });
  const stop = (stopped: boolean): void => {
    clock.isStopped = stopped;
    if (stopped) return line.pause();
    look();
    for (const missed of clock.late.splice(0)) missed();
    line.resume();
  };
  const toBeDone: (() => void)[] = [];
  const firstStatement = (): void =>
    note({ kind: 'first-statement', partition: 0, detail: String(source.role(0).isLeading()) });
  const die = async (): Promise<void> => {
    isDead = true;
    line.cut();
    clearInterval(looking);
    await source.close({ signal: AbortSignal.abort() });
    // A dead process writes nothing: it must not create files in a directory that was removed
    // meanwhile.
    await Promise.allSettled(working);
  };
  return {
    member: source.member,
    pid: 0,
    events,
    async until(matches, withinMs = 4_000) {
      for (const until = performance.now() + withinMs; performance.now() < until; await pause(2)) {
        const found = events.find(matches);
        if (found) return found;
      }
      throw new Error(`${source.member} logged nothing of the kind`);
    },
    kill: die,
    pause: () => stop(true),
    resume() {
      for (const statement of toBeDone.splice(0)) statement();
      stop(false);
    },
    block(ms) {
      if (clock.isStopped) return void toBeDone.push(firstStatement);
      stop(true);
      setTimeout(() => {
        firstStatement();
        stop(false);
      }, ms);
    },
    resign: (partition) => void source.role(partition).resign(),
    async close() {
      await source.close();
      clearInterval(looking);
      await endsBy();
    },
    [Symbol.asyncDispose]: die,
  };
}

type Note = (event: Omit<MemberEvent, 'member' | 'life' | 'atNs'>) => void;

function watchBelief(source: LeadershipSource, clock: StoppableClock, note: Note): () => void {
  const role = source.role(0);
  let term: Term | undefined;
  let ledNs = 0n;
  let reportedNs = 0n;
  const look = (): void => {
    if (clock.isStopped || term === undefined || !role.isLeading()) return;
    ledNs = process.hrtime.bigint();
    if (untilNs() > reportedNs + 1_000_000n) report('prolonged', term.token);
  };
  const untilNs = (): bigint =>
    process.hrtime.bigint() + BigInt(Math.floor(role.remainingMs() * 1e6));
  const report = (kind: 'acquired' | 'prolonged', token: bigint): void => {
    reportedNs = untilNs();
    note({ kind, partition: 0, token, untilNs: reportedNs });
  };
  role.leadership$.subscribe((leadership: Leadership) => {
    if (leadership.state === 'leading') {
      term = leadership.term;
      ledNs = process.hrtime.bigint();
      report('acquired', term.token);
    } else if (term !== undefined && leadership.state !== 'revoking') {
      note({ ...endOf(leadership), partition: 0, token: term.token, ledNs });
      term = undefined;
    }
  });
  return look;
}

function endOf(leadership: Leadership): Pick<MemberEvent, 'kind' | 'detail'> {
  return leadership.state === 'fenced'
    ? { kind: 'fenced', detail: leadership.reason }
    : { kind: 'released' };
}

interface Performance {
  readonly work: MemberWork;
  readonly term: Term;
  readonly clock: StoppableClock;
  readonly note: Note;
  readonly isDead: () => boolean;
}

async function perform({ work, term, clock, note, isDead }: Performance): Promise<void> {
  const { token, signal } = term;
  if (work.kind !== 'write') {
    await new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    return;
  }
  const store = work.fenced ? fileFencedStore(work.store) : fileUnfencedStore(work.store);
  for (let count = 1; term.isCurrent() && !signal.aborted; count += 1) {
    const detail = `${token}/${count}`;
    note({ kind: 'writing', partition: 0, token, detail });
    await pause(work.latencyMs ?? 25);
    while (clock.isStopped && !isDead()) await pause(1);
    if (isDead()) return;
    const written = await store.write('partition-0', detail, token);
    note({ kind: written === 'written' ? 'wrote' : 'write-refused', partition: 0, token, detail });
  }
}
