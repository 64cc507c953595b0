// Every code that `health()` can report is raised here, and ends with its cause. The table has an
// entry for each code of the union, so a new code without one does not compile.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/async/deferred.ts';
import { LeadershipError, type LeadershipErrorCode } from '../../src/contract/leadership-error.ts';
import type { SourceOptions } from '../../src/contract/options.ts';
import { noneText, pinText } from '../../src/lease/records.ts';
import { MemoryStore } from '../../src/memory/memory-rows.ts';
import { type RowsMember, rowsMember, thresholdMs } from '../support/rows-member.ts';

/** How a trouble is raised. The result ends its cause. */
interface Raised {
  readonly options?: SourceOptions;
  raise(member: RowsMember & { readonly store: MemoryStore }): Promise<() => void>;
}

/** The code is raised by the protocol of another package only; this test there sees it end. */
interface Elsewhere {
  readonly test: string;
}

const nothingToEnd = (): void => undefined;

/** A store that refuses requests with this code. */
function refusedRequests(code: LeadershipErrorCode): Raised {
  return {
    async raise({ rows, clock }) {
      const { exchange } = rows;
      rows.exchange = () => Promise.reject(new LeadershipError(code, `${code}: not now`));
      await clock.pass(thresholdMs);
      return () => {
        rows.exchange = exchange;
      };
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
  unauthorized: refusedRequests('unauthorized'),
  unreachable: refusedRequests('unreachable'),
  'misconfigured-backend': refusedRequests('misconfigured-backend'),
  'partitions-differ': {
    async raise({ store, clock }) {
      const own = store.rows.rows.get('pin') ?? '';
      store.rows.put('pin', pinText(8, thresholdMs, undefined, 'x'));
      await clock.pass(thresholdMs);
      return () => store.rows.put('pin', own);
    },
  },
  'no-quorum': { test: 'packages/nerio/test/source/connectivity.test.ts' },
  'no-standby': { test: 'packages/core/test/source/members.test.ts' },
  displaced: { test: 'packages/nerio/test/source/duplicate-names.isolated.test.ts' },
  'unknown-group': {
    options: { campaign: false },
    async raise({ store, clock }) {
      await clock.pass(10);
      return () => void rowsMember(store, { member: 'b' }, undefined, clock);
    },
  },
  'assumption-broken': {
    async raise({ store, clock }) {
      store.rows.put('partition#0', noneText(0, 'another life'));
      await clock.pass(thresholdMs / 2);
      return nothingToEnd;
    },
  },
  leaderless: {
    async raise({ clock, membership }) {
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
function codesOf({ source }: RowsMember): readonly string[] {
  const { troubles, warnings } = source.health();
  return [...troubles, ...warnings].map(({ code }) => code);
}

describe('a trouble is raised, and ends when its cause does', () => {
  it.each(cases)('$code', async ({ code, options, raise }) => {
    const store = new MemoryStore();
    const member = rowsMember(store, { log: false, ...options });
    await member.clock.pass(10);
    const end = await raise({ ...member, store });
    expect(codesOf(member)).toContain(code);
    end();
    // A trouble without an end of its own is shown for ten T.
    await member.clock.pass(12 * thresholdMs);
    expect(member.source.health()).toMatchObject({ ok: true, troubles: [], warnings: [] });
    await member.source.close({ signal: AbortSignal.abort() });
  });

  it.each(elsewhere)('$code, in $test', ({ code, test }) => {
    const text = readFileSync(resolve(import.meta.dirname, '../../../..', test), 'utf8');
    expect(text).toContain(`'${code}'`);
  });
});
