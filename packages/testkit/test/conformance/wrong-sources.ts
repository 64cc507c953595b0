// For every check, a cluster that breaks its promise, and no promise that the check verifies
// earlier.
import { AsyncResource } from 'node:async_hooks';
import type { Health, LeadershipSource, Role, SourceOptions } from '@leadership/core';
import type { Clock, Exchange, NamedText, RowChange, Rows } from '@leadership/core/adapter';
import {
  asapScheduler,
  BehaviorSubject,
  concat,
  concatMap,
  EMPTY,
  filter,
  observeOn,
  of,
  switchMap,
  throwError,
} from 'rxjs';
import type { Cluster } from '../../src/index.ts';
import { looseBroker } from './loose-broker.ts';
import { type Flaws, looseCluster } from './loose-cluster.ts';
import { overriding, withRoles } from './overriding.ts';

/** A cluster that breaks one promise. */
export interface Wrong {
  /** A short description of the defect. */
  readonly what: string;
  /** The message with which the check has to fail. */
  readonly says: RegExp;
  /**
   * The check fails because an event never comes, so it waits for a shorter time than on a starved
   * machine.
   */
  readonly neverComes?: true;
  /** Two members have to act within milliseconds of each other for the defect to show. */
  readonly isRace?: true;
  open(): Cluster;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function loose(
  what: string,
  says: RegExp,
  flaws: Flaws | (() => Flaws),
  thresholdMs?: number,
): Wrong {
  return {
    what,
    says,
    open: () => looseCluster(typeof flaws === 'function' ? flaws() : flaws, thresholdMs),
  };
}

/** Marks a defect that shows if two members act at nearly the same time. */
function byRace(wrong: Wrong): Wrong {
  return { ...wrong, isRace: true };
}

/** Marks a defect that shows because an event never comes. */
function byWaiting(wrong: Wrong): Wrong {
  return { ...wrong, neverComes: true };
}

function wrongRoles(what: string, says: RegExp, change: (role: Role) => Partial<Role>): Wrong {
  return loose(what, says, { source: (source) => withRoles(source, change) });
}

function wrongSource(
  what: string,
  says: RegExp,
  change: (source: LeadershipSource) => Partial<LeadershipSource>,
): Wrong {
  return loose(what, says, { source: (source) => overriding(source, change(source)) });
}

function cachedFlag(role: Role): Partial<Role> {
  let cached = false;
  role.leadership$.subscribe(({ state }) => {
    cached = state === 'leading';
  });
  return { isLeading: () => cached };
}

const truth: Readonly<Record<string, Wrong>> = {
  'state-after-a-blocked-loop': wrongRoles(
    'a cached flag',
    /isLeading\(\) returned true/,
    cachedFlag,
  ),
  'state-after-a-stop': wrongRoles('a cached flag', /said that it leads/, cachedFlag),
  'stream-replay': wrongRoles(
    'an outdated value that is replayed',
    /replayed "leading"/,
    (role) => {
      const last = new BehaviorSubject<never>(undefined as never);
      role.leadership$.subscribe(last as never);
      return { leadership$: last };
    },
  ),
  'stream-never-repeats': wrongRoles(
    'every value emitted twice',
    /leadership\$ said .* twice in a row/,
    ({ leadership$ }) => ({
      leadership$: leadership$.pipe(concatMap((leadership) => of(leadership, leadership))),
    }),
  ),
  'stream-completes-on-close': wrongRoles(
    'an error at the end',
    /leadership\$ errored/,
    ({ leadership$ }) => ({
      leadership$: concat(
        leadership$,
        throwError(() => new Error('closed')),
      ),
    }),
  ),
  'throwing-subscriber-is-isolated': wrongRoles(
    'subscribers called in a row',
    /another subscriber received from leadership\$/,
    ({ leadership$ }) => {
      const subscribers: ((value: unknown) => void)[] = [];
      leadership$.subscribe((value) => {
        for (const next of subscribers) next(value);
      });
      const subscribe = (
        observer: { next(value: unknown): void } | ((value: unknown) => void),
      ): { unsubscribe(): void } => {
        subscribers.push(
          typeof observer === 'function' ? observer : (value) => observer.next(value),
        );
        return { unsubscribe: () => undefined };
      };
      return { leadership$: { subscribe } as never };
    },
  ),
  'async-iteration': wrongRoles(
    'an unbounded buffer',
    /yielded an old value first/,
    ({ leadership$ }) => {
      const iterate = (): ReturnType<Role[typeof Symbol.asyncIterator]> => {
        const buffer: never[] = [];
        leadership$.subscribe((leadership) => void buffer.push(leadership as never));
        const next = async (): Promise<never> => ({ done: false, value: buffer.shift() }) as never;
        return { next, return: next, [Symbol.asyncIterator]: iterate } as never;
      };
      return { [Symbol.asyncIterator]: iterate };
    },
  ),
  'notification-order': wrongRoles(
    'leadership$ emitted after everything else',
    /emitted in this order/,
    ({ leadership$ }) => ({
      leadership$: leadership$.pipe(observeOn(asapScheduler)),
    }),
  ),
};

/** Tokens that shrink. */
function shrinkingTokens(): Flaws {
  let last = 10n ** 15n;
  const token = (): bigint => {
    last -= 1n;
    return last;
  };
  return { rules: { token, handedToken: token } };
}

/** Deadlines that are three times too late. */
const believesLong: Flaws = {
  rules: { validUntil: (sentAt, _seenAt, thresholdMs) => (sentAt + 3 * thresholdMs) as never },
};

/** Uses the wall clock instead of a monotonic clock. */
const wallClock: Clock = {
  now: () => Date.now() as never,
  wallMicros: () => Date.now() * 1000,
  wake(at, callback) {
    const timer = setTimeout(callback, Math.max(0, at - Date.now()));
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

const exclusion: Readonly<Record<string, Wrong>> = {
  'exclusion-under-churn': wrongRoles(
    'belief that outlives a release',
    /led partition 0 at once/,
    (role) => {
      let until = 0;
      role.leadership$.subscribe(({ state }) => {
        if (state === 'revoking') until = performance.now() + role.remainingMs();
      });
      return { isLeading: () => role.isLeading() || performance.now() < until };
    },
  ),
  'exclusion-under-cuts': loose(
    'belief three times too long',
    /led partition 0 at once/,
    believesLong,
  ),
  'exclusion-under-kills': loose('belief three times too long', /believed at once/, believesLong),
  'same-name-is-another': loose('a holder by member name', /at once|has the same name/, {
    host: (host) => ({ ...host, incarnation: host.member }),
  }),
  'tokens-only-grow': loose('tokens that shrink', /had been seen/, shrinkingTokens),
  'fenced-store-refuses-zombies': loose(
    'tokens that shrink',
    /the successor's token \d+ is not greater than/,
    shrinkingTokens,
  ),
  'fenced-store-refuses-stopped-zombies': loose(
    'tokens that shrink',
    /the successor's token \d+ is not greater than/,
    shrinkingTokens,
  ),
  'wall-clock-steps': loose('deadlines on the wall clock', /when the wall clock was set/, {
    clock: wallClock,
  }),
};

/** Candidates wait six times as long as necessary. */
const waitsLong: Flaws = {
  rules: { waitsUntil: (since, ms) => (since + 6 * ms) as never },
};

/** Candidates wait no longer than their own T. */
const waitsShort: Flaws = {
  rules: { waitsUntil: (since, ms) => (since + Math.min(ms, 500)) as never },
};

const succession: Readonly<Record<string, Wrong | readonly Wrong[]>> = {
  'succession-after-cut': [
    loose('a wait six times too long', /fail-over took/, waitsLong),
    loose('a wait six times too long of a source that is slow to be ready', /fail-over took/, {
      ...waitsLong,
      source: slowToBeReady,
    }),
  ],
  'succession-after-kill': loose('a wait six times too long', /fail-over took/, waitsLong),
  'orderly-handover': loose('a release before the drain', /before the work had settled/, {
    host: (host) => ({
      ...host,
      async drain(partition) {
        void host.drain(partition);
        return 'drained';
      },
    }),
  }),
  'drain-timeout-fences-first': loose('a time-out that counts as drained', /must show as fenced/, {
    host: (host, { drainTimeoutMs = 0 }) => ({
      ...host,
      drain: (partition) =>
        Promise.race([
          host.drain(partition),
          pause(drainTimeoutMs / 2).then(() => 'drained' as const),
        ]),
    }),
  }),
  'resign-hands-over': wrongRoles(
    'a resignation that resolves too early',
    /resolved while the member still led/,
    (role) => ({
      async resign() {
        setTimeout(() => void role.resign(), 50);
      },
    }),
  ),
  'resigner-waits': loose(
    'an abstention that ends with the resignation',
    /no other member had a chance/,
    {
      membership: (membership) =>
        overriding(membership, {
          async resign(partition) {
            await membership.resign(partition);
            membership.campaign(true, partition);
          },
        }),
    },
  ),
};

function wrongInduction(what: string, says: RegExp, ...how: Parameters<typeof looseBroker>): Wrong {
  return { what, says, open: () => looseBroker(...how) };
}

const continuity: Readonly<Record<string, Wrong>> = {
  'continuous-handover': wrongInduction(
    'a partition dropped as soon as it is assigned to another',
    /no member led for/,
    {
      whenSucceeded: () => 'drop',
    },
  ),
  'continuous-under-cuts': wrongInduction(
    'belief for less than a session',
    /no member led for/,
    // Not a share of T, because T grows with each repetition on a starved machine, but the session
    // does not.
    { believeUntil: (provedAt) => (provedAt + 400) as never },
    // The check allows a gap of four stalls, so the one that it must find is far longer.
    { thresholdMs: 4800, sessionTimeoutMs: 1200, rebalanceTimeoutMs: 50 },
  ),
  'continuous-drain': wrongInduction(
    'a leader that ends its work for a candidate',
    /before another member led/,
    {
      takesOver: () => true,
      graceMs: () => 50,
    },
  ),
};

const membership: Readonly<Record<string, Wrong | readonly Wrong[]>> = {
  'roles-map-to-partitions': wrongSource('another hash', /is in partition/, (source) => ({
    role: (key) => source.role(typeof key === 'string' ? key.length : key),
  })),
  'partitions-differ': loose('a pin that agrees', /not refused with partitions-differ/, {
    rows: (rows, { partitions }) =>
      overriding(rows, {
        async exchange(request, signal) {
          const answer = await rows.exchange(request, signal);
          return {
            ...answer,
            rows: answer.rows.map(([name, text]) =>
              name === 'pin' && text !== null
                ? [name, JSON.stringify({ ...JSON.parse(text), partitions })]
                : [name, text],
            ),
          };
        },
      }),
  }),
  'minimal-disturbance': loose(
    'members that give up everything when one joins',
    /did not have to move/,
    () => {
      const members: LeadershipSource[] = [];
      return {
        source(source) {
          for (const member of members)
            for (const partition of member.held().keys()) void member.role(partition).resign();
          members.push(source);
          return source;
        },
      };
    },
  ),
  'roster-agreement': byWaiting(
    loose('a member that does not learn of other leaders', /b knows who leads what/, {
      host: (host) => (host.member === 'b' ? { ...host, leads: () => undefined } : host),
    }),
  ),
  'members-are-listed': [
    byWaiting(
      loose('an observer that knows no members', /c lists both candidates/, {
        host: (host) => (host.member === 'c' ? { ...host, members: () => undefined } : host),
      }),
    ),
    byWaiting(
      loose('a member that publishes its roles, and no trouble', /lists the trouble/, {
        membership: (membership) =>
          overriding(membership, {
            publish: ({ roles }) => membership.publish?.({ ...(roles && { roles }) }),
          }),
      }),
    ),
    byWaiting(
      loose('a member that publishes nothing', /lists the role of a/, {
        membership: (membership) => overriding(membership, { publish: () => undefined }),
      }),
    ),
  ],
  'leader-is-announced': [
    loose('a follower that polls', /a follower reported a claim \d+ ms later/, {
      source: (source, options) => (isObserver(source) ? source : polling(source, options)),
    }),
    loose('an observer that polls', /an observer reported a claim \d+ ms later/, {
      source: (source, options) => (isObserver(source) ? polling(source, options) : source),
    }),
    loose(
      'claims that no notification shows',
      /(a follower|an observer) reported a claim \d+ ms later/,
      {
        rows: (rows) => showing(rows, ([, text]) => text?.includes('"kind":"hold"') !== true),
      },
    ),
  ],
  'limits-are-kept': loose(
    'a member without a limit',
    /a member led \d partitions, and may lead 1/,
    {
      options: ({ campaign: _campaign, ...options }) => options,
    },
  ),
  'observers-never-lead': loose('an observer that campaigns', /an observer led/, {
    options: ({ campaign: _campaign, ...options }) => options,
  }),
  'observers-write-nothing': [
    loose('an observer that announces itself', /that no member had opened has added \["/, {
      rows: (rows, { member }) =>
        changing(rows, (changes) => [
          ...changes,
          { name: `member#${member}`, expected: null, text: member },
        ]),
    }),
    byWaiting(
      wrongSource(
        'an observer that is always well',
        /without success: the observer reports an unknown group/,
        alwaysWell,
      ),
    ),
  ],
  'groups-do-not-interact': byWaiting(
    loose('the same rows for all groups', /one of (a|b) leads/, {
      options: (options) => ({ ...options, group: 'all' }),
    }),
  ),
};

const work: Readonly<Record<string, Wrong>> = {
  'lead-once-per-term': wrongRoles(
    'work run again and again',
    /run again in the same term/,
    (role) => ({
      lead: (each, options) =>
        role.lead(async (term) => {
          while (term.isCurrent() && !term.signal.aborted) {
            await each(term);
            await pause(5);
          }
        }, options),
    }),
  ),
  'leads-hold-the-barrier': wrongRoles(
    'work that the barrier does not wait for',
    /while the work of one lead was running/,
    ({ leadership$ }) => ({
      lead: (each, { signal } = {}) =>
        new Promise((resolve) => {
          leadership$.subscribe(
            (leadership) => void (leadership.state === 'leading' && each(leadership.term)),
          );
          signal?.addEventListener('abort', () => resolve());
        }),
    }),
  ),
  'lead-each-partition': byWaiting(
    wrongSource('the first partition only', /runs in every partition/, (source) => ({
      leadEach: (each, options) => source.role(0).lead(each, options),
    })),
  ),
  'if-leading': wrongRoles('work beside the barrier', /in a term that was ending/, (role) => ({
    ifLeading<T>(each: Parameters<Role['ifLeading']>[0]) {
      const term = role.term();
      return term && (Promise.resolve(each(term)) as Promise<T>);
    },
  })),
  'while-leading': wrongRoles(
    'a projection that outlives its term',
    /only after the term was over/,
    ({ leadership$ }) => ({
      whileLeading: (project) =>
        leadership$.pipe(
          filter(({ state }) => state !== 'revoking'),
          switchMap((leadership) =>
            leadership.state === 'leading' ? project(leadership.term) : EMPTY,
          ),
        ),
    }),
  ),
  'work-that-throws': byWaiting(
    wrongRoles(
      'a throw that is swallowed',
      /without success: the partition is resigned/,
      (role) => ({
        lead: (each, options) =>
          role.lead(async (term) => {
            try {
              await each(term);
            } catch {}
          }, options),
      }),
    ),
  ),
  'on-throw-reject': byWaiting(
    wrongRoles(
      'an option that is ignored',
      /without success: lead\(\) whose work threw/,
      (role) => ({
        lead: (each) => role.lead(each),
      }),
    ),
  ),
  'rejections-are-handled': wrongRoles('an unhandled promise', /were not handled/, (role) => ({
    lead: (each, options) =>
      role.lead((term) => {
        const run = Promise.resolve(each(term));
        void run.then(() => undefined);
        return run;
      }, options),
  })),
};

/** A source that reports each leader T/2 after it knows it, as an observer that only polls. */
function polling(source: LeadershipSource, { thresholdMs = 0 }: SourceOptions): LeadershipSource {
  const late = withRoles(source, (role) => reportingLate(role, thresholdMs / 2));
  for (let partition = 0; partition < source.partitions; partition += 1) late.role(partition);
  return late;
}

function reportingLate(role: Role, lateMs: number): Partial<Role> {
  let [known, reported] = [role.leader(), role.leader()];
  let knownAt = performance.now();
  const leader = (): typeof known => (performance.now() - knownAt < lateMs ? reported : known);
  role.leader$.subscribe((next) => {
    reported = leader();
    [known, knownAt] = [next, performance.now()];
  });
  return { leader };
}

/** A source that always reports good health. */
function alwaysWell(source: LeadershipSource): Partial<LeadershipSource> {
  return { health: () => ({ ...source.health(), ok: true, troubles: [] }) };
}

/** Changes what a source has measured. */
function measuring(change: (measured: Health['measured']) => Health['measured']) {
  return (source: LeadershipSource): Partial<LeadershipSource> => ({
    health() {
      const health = source.health();
      return { ...health, measured: change(health.measured) };
    },
  });
}

/** Changes what arrives at the store of the changes of each request. */
function changing(rows: Rows, change: (changes: Exchange['changes']) => Exchange['changes']): Rows {
  return overriding(rows, {
    exchange: (request, signal) =>
      rows.exchange({ ...request, changes: change(request.changes) }, signal),
  });
}

/** Rows whose notifications show only some of the rows. */
function showing(rows: Rows, isShown: (row: NamedText) => boolean): Rows {
  return overriding(rows, {
    listen: async (wake, signal) => rows.listen?.((shown) => wake(shown?.filter(isShown)), signal),
  });
}

/** Rows in which no release takes effect, as long as `isNow`. */
function releasingNothing(rows: Rows, isNow = (): boolean => true): Rows {
  const lost = (change: RowChange): RowChange =>
    isNow() && change.text?.includes('"kind":"release"') ? { ...change, expected: 'lost' } : change;
  return changing(rows, (changes) => changes.map(lost));
}

/** A release that is never written. */
const releasesNothing: Flaws = { rows: (rows) => releasingNothing(rows) };

/** A close with an aborted signal that leaves leases to lapse: all of them, or only beside work. */
function fencesIdleTerms(onlyBesideWork: boolean): Flaws {
  let isWorking = false;
  let isNow = false;
  const work = (role: Role): Partial<Role> => ({
    ifLeading(what) {
      isWorking = true;
      return role.ifLeading(what);
    },
  });
  return {
    source: (source) =>
      overriding(withRoles(source, work), {
        close(options) {
          isNow ||= options?.signal?.aborted === true && (isWorking || !onlyBesideWork);
          return source.close(options);
        },
      }),
    rows: (rows) => releasingNothing(rows, () => isNow),
  };
}

const end: Readonly<Record<string, Wrong | readonly Wrong[]>> = {
  'close-is-idempotent': [
    wrongSource(
      'health that is always good, also after close()',
      /health\(\) of a closed source/,
      alwaysWell,
    ),
    wrongSource('a second close that throws', /it is closed already/, (source) => {
      let isClosed = false;
      return {
        async close(options) {
          if (isClosed) throw new Error('it is closed already');
          isClosed = true;
          await source.close(options);
        },
      };
    }),
  ],
  'close-during-start': wrongSource(
    'a close that start forgets',
    /led after it had been closed/,
    (source) => {
      let isReady = false;
      void source.ready().then(() => {
        isReady = true;
      });
      const close = async (options?: Parameters<LeadershipSource['close']>[0]): Promise<void> => {
        if (isReady) await source.close(options);
      };
      return { close };
    },
  ),
  // A sixth of T separates a lapsing lease from a hand-over; it must exceed the stalls of fifty
  // concurrent checks.
  'close-hands-over': loose(
    'a lease that is left to lapse',
    /as long as if the leader had crashed/,
    releasesNothing,
    3000,
  ),
  'close-waits-for-work': wrongSource(
    'a close that does not drain',
    /close\(\) resolved while work was running/,
    (source) => ({
      close: () => source.close({ signal: AbortSignal.abort() }),
    }),
  ),
  'close-from-inside-work': byWaiting(
    wrongSource(
      'a close that waits for its caller',
      /without success: work that closes its source/,
      (source) => ({
        close: AsyncResource.bind((options?: Parameters<LeadershipSource['close']>[0]) =>
          source.close(options),
        ),
      }),
    ),
  ),
  'close-with-a-deadline': byWaiting(
    wrongSource(
      'a close that ignores its signal',
      /without success: close\(\) after its signal aborted/,
      (source) => ({
        close: () => source.close(),
      }),
    ),
  ),
  'close-now-releases': [
    loose(
      'a close with an aborted signal that fences terms without work and releases nothing',
      /the hand-over of a partition without work/,
      () => fencesIdleTerms(false),
      3000,
    ),
    loose(
      'a close with an aborted signal that releases nothing while work runs elsewhere',
      /the hand-over of a partition without work/,
      () => fencesIdleTerms(true),
      3000,
    ),
  ],
  'close-lets-the-process-end': loose('a process that a timer keeps alive', /a timer keeps it/, {
    endsBy: () => Promise.reject(new Error('the process did not end by itself: a timer keeps it')),
  }),
  'close-at-every-moment': loose(
    'a client whose timer outlives its close',
    /left open, at 1 moments: Timeout: closed in the next turn/,
    { leaves: 'Timeout: closed in the next turn' },
  ),
  'close-leaves-nothing': byWaiting(
    loose('a timer that is never cleared', /handles are what they were/, () => {
      const timers: ReturnType<typeof setInterval>[] = [];
      return {
        source(source) {
          timers.push(setInterval(() => undefined, 1000));
          return source;
        },
        dispose: () => timers.forEach(clearInterval),
      };
    }),
  ),
};

/** A client library that compares in the client, and repeats unanswered requests. */
const blind: Flaws = { isBlind: true };
/** Without notifications, which would end the term of a leader whose rows were deleted. */
const claimsEmptyAtOnce: Flaws = {
  rules: { emptyMs: () => 0 },
  rows: (rows) => overriding(rows, { listen: () => Promise.resolve() }),
};

/** A source whose troubles only say that there is no leader. */
function withoutCause(source: LeadershipSource): Partial<LeadershipSource> {
  const vague = ({ troubles, ...health }: Health): Health => ({
    ...health,
    troubles: troubles.map((trouble) => ({ ...trouble, code: 'leaderless' })),
  });
  return { health: () => vague(source.health()) };
}

function isObserver({ member }: LeadershipSource): boolean {
  return member === 'observer';
}

/** A source that is slow to be ready, as if its store answered slowly. */
function slowToBeReady(source: LeadershipSource): LeadershipSource {
  return overriding(source, { ready: () => source.ready().then(() => pause(2_000)) });
}

const ways: Readonly<Record<string, Wrong | readonly Wrong[]>> = {
  'exclusion-under-stale-reads': byRace(
    loose('a comparison with what was read', /led partition 0 at once/, blind),
  ),
  'exclusion-under-lost-replies': loose(
    'requests repeated by a client library',
    /lost its term|at once/,
    blind,
  ),
  'late-writes-change-nothing': loose(
    'writes that compare nothing',
    /lost its term|at once/,
    blind,
  ),
  'exclusion-when-writes-are-cut': loose(
    'belief three times too long',
    /led partition 0 at once/,
    believesLong,
  ),
  'exclusion-when-reads-are-cut': byRace(
    loose('a comparison with what was read', /at once|lost its term/, blind),
  ),
  'thresholds-differ': loose(
    "a wait that uses the member's own T",
    /led partition 0 at once/,
    waitsShort,
  ),
  'state-deleted-while-away': loose(
    'an empty row claimed at once',
    /led partition 0 at once/,
    claimsEmptyAtOnce,
  ),
  'state-goes-back': byWaiting(
    loose('tokens that shrink', /had been seen|followed|one of a, b leads/, shrinkingTokens),
  ),
  'health-when-the-store-is-away': [
    byWaiting(wrongSource('health that is always good', /has a trouble/, alwaysWell)),
    byWaiting(
      wrongSource('an observer that is always well', /health\(\) of observer has/, (source) =>
        isObserver(source) ? alwaysWell(source) : {},
      ),
    ),
    byWaiting(wrongSource('troubles without a cause', /has a trouble/, withoutCause)),
  ],
  'health-when-the-quorum-is-lost': [
    byWaiting(wrongSource('health that is always good', /has a trouble/, alwaysWell)),
    byWaiting(wrongSource('troubles without a cause', /has a trouble \(no-quorum\)/, withoutCause)),
  ],
  'health-without-candidates': byWaiting(
    wrongSource('health that is always good', /no member campaigns/, alwaysWell),
  ),
  'health-with-duplicate-names': byWaiting(
    loose('names that no member compares', /two live members are called "a"/, {}),
  ),
  'health-when-reads-hang': byWaiting({
    what: 'hanging reads that are not reported',
    says: /has a trouble/,
    open: () => {
      const cluster = looseCluster({ source: (source) => overriding(source, alwaysWell(source)) });
      const cut = cluster.cut ?? (() => ({ [Symbol.dispose]: () => undefined }));
      return { ...cluster, storeFaults: { ...cluster.storeFaults, 'hung-reads': cut } };
    },
  }),
  'credentials-expire': byWaiting(
    wrongSource('health that is always good', /has a trouble/, alwaysWell),
  ),
  'renewals-are-measured': [
    byWaiting(
      wrongSource(
        'a backend that measures nothing',
        /a renewal is measured/,
        measuring(() => ({})),
      ),
    ),
    wrongSource(
      'a margin in microseconds',
      /leaseMarginMs is/,
      measuring((measured) =>
        measured['leaseMarginMs'] === undefined
          ? measured
          : { ...measured, leaseMarginMs: 1000 * measured['leaseMarginMs'] },
      ),
    ),
    wrongSource(
      'measurements of a member that never led',
      /an observer has measured renewalMs/,
      measuring((measured) => ({ renewalMs: 0, leaseMarginMs: 0, ...measured })),
    ),
  ],
  'request-volume': loose('requests sent a hundred times', /sent \d+ requests in T/, {
    rows: (rows) =>
      overriding(rows, {
        async exchange(request, signal) {
          for (let time = 0; time < 200; time += 1)
            await rows.exchange({ ...request, changes: [] }, signal);
          return rows.exchange(request, signal);
        },
      }),
  }),
  'handover-in-time': [
    loose('a lease that is left to lapse', /the hand-over took/, releasesNothing, 3000),
    loose(
      'a lease that is left to lapse by a source that is slow to be ready',
      /the hand-over took/,
      { ...releasesNothing, source: slowToBeReady },
      3000,
    ),
  ],
};

const badDays: Readonly<Record<string, Wrong>> = {
  'backend-away-and-back': loose('belief three times too long', /without any proof/, believesLong),
  'state-deleted-under-way': loose(
    'an empty row claimed at once',
    /led partition 0 at once/,
    claimsEmptyAtOnce,
  ),
  'mixed-record-versions': loose(
    "a wait that ignores another member's T",
    /was in effect for/,
    waitsShort,
  ),
  'hostile-records': byWaiting(
    wrongSource('garbage that is swallowed', /garbage is counted/, (source) => ({
      health: () => ({ ...source.health(), ignored: {} }),
    })),
  ),
};

/** Wrong clusters by the promise that they break. */
export const wrongSources: Readonly<Record<string, Wrong | readonly Wrong[]>> = {
  ...truth,
  ...exclusion,
  ...succession,
  ...continuity,
  ...membership,
  ...work,
  ...end,
  ...badDays,
  ...ways,
};
