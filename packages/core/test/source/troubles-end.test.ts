// Every code that `health()` can report is raised here, and ends with its cause. The table has an
// entry for each code of the union, so a new code without one does not compile.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/async/deferred.ts';
import { LeadershipError, type LeadershipErrorCode } from '../../src/contract/leadership-error.ts';
import type { SourceOptions } from '../../src/contract/options.ts';
import { type ElectionUnderTest, electionOf, thresholdMs } from '../support/ledger-source.ts';
import { pin, strangers } from '../support/steered-ledger.ts';

/** How a trouble is raised. The result ends its cause. */
interface Raised {
  readonly options?: SourceOptions;
  raise(election: ElectionUnderTest): Promise<() => void>;
}

/** The code is raised by the protocol of another package only; this test there sees it end. */
interface Elsewhere {
  readonly test: string;
}

const nothingToEnd = (): void => undefined;

/** A store that refuses writes with this code. */
function refusedWrites(code: LeadershipErrorCode): Raised {
  return {
    async raise({ store, clock }) {
      store.instead.write = () => Promise.reject(new LeadershipError(code, `${code}: not now`));
      await clock.pass(thresholdMs);
      return () => delete store.instead.write;
    },
  };
}

const table: Readonly<Record<LeadershipErrorCode, Raised | Elsewhere | 'never a trouble'>> = {
  'invalid-options': 'never a trouble',
  'unknown-backend': 'never a trouble',
  'unsupported-runtime': 'never a trouble',
  revoked: 'never a trouble',
  fenced: 'never a trouble',
  closed: 'never a trouble',
  unauthorized: refusedWrites('unauthorized'),
  unreachable: refusedWrites('unreachable'),
  'misconfigured-backend': refusedWrites('misconfigured-backend'),
  'partitions-differ': { test: 'packages/induction/test/membership.test.ts' },
  'no-quorum': { test: 'packages/nerio/test/source/connectivity.test.ts' },
  displaced: { test: 'packages/nerio/test/source/duplicate-names.isolated.test.ts' },
  'unknown-group': {
    options: { campaign: false },
    async raise({ store, clock }) {
      await clock.pass(10);
      const metadata = { partitions: '1', thresholdMsMax: String(thresholdMs) };
      return () => {
        const record = pin(metadata);
        store.deliver({ kind: 'record', record, receivedAt: clock.now() });
        const held = strangers(undefined, { thresholdMs: 1000 * thresholdMs });
        store.deliver({ kind: 'record', record: held, receivedAt: clock.now() });
      };
    },
  },
  'assumption-broken': {
    async raise({ store, clock }) {
      await clock.pass(3 * thresholdMs);
      const restored = strangers(undefined, { height: 1, thresholdMs });
      store.current.set(0, restored);
      store.deliver({ kind: 'record', record: restored, receivedAt: clock.now() });
      await clock.pass(1);
      return nothingToEnd;
    },
  },
  leaderless: {
    async raise({ store, clock, membership }) {
      store.rank(0, []);
      membership.campaign(false);
      await clock.pass(20 * thresholdMs);
      return () => membership.campaign(true);
    },
  },
  'work-failed': {
    async raise({ source, clock }) {
      let isBroken = true;
      void source.role(0).lead(() => {
        if (isBroken) throw new Error('no paper');
      });
      await clock.pass(1);
      return () => {
        isBroken = false;
      };
    },
  },
  'slow-drain': {
    options: { drainTimeoutMs: thresholdMs },
    async raise({ source, clock }) {
      const work = deferred<void>();
      source.role(0).ifLeading(() => work.promise);
      void source.role(0).resign();
      await clock.pass(0.7 * thresholdMs);
      return () => work.resolve();
    },
  },
};

const cases = Object.entries(table).flatMap(([code, entry]) =>
  typeof entry === 'object' && 'raise' in entry ? [{ code, ...entry }] : [],
);
const elsewhere = Object.entries(table).flatMap(([code, entry]) =>
  typeof entry === 'object' && 'test' in entry ? [{ code, ...entry }] : [],
);

/** Returns the codes in `health()` now. */
function codesOf({ source }: ElectionUnderTest): readonly string[] {
  const { troubles, warnings } = source.health();
  return [...troubles, ...warnings].map(({ code }) => code);
}

describe('a trouble is raised, and ends when its cause does', () => {
  it.each(cases)('$code', async ({ code, options, raise }) => {
    const election = electionOf({ partitions: 1, log: false, ...options });
    await election.clock.pass(10);
    const end = await raise(election);
    expect(codesOf(election)).toContain(code);
    end();
    // A trouble without an end of its own is shown for ten T.
    await election.clock.pass(12 * thresholdMs);
    expect(election.source.health()).toMatchObject({ ok: true, troubles: [], warnings: [] });
    await election.source.close({ signal: AbortSignal.abort() });
  });

  it.each(elsewhere)('$code, in $test', ({ code, test }) => {
    const text = readFileSync(resolve(import.meta.dirname, '../../../..', test), 'utf8');
    expect(text).toContain(`'${code}'`);
  });
});
