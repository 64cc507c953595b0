import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { runOnExit } from '@leadership/testkit/faults';
import { hasPostgres } from '@leadership/tools/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from './support/server.ts';

const program = fileURLToPath(new URL('support/fencing-member.mjs', import.meta.url));
const thresholdMs = 2000;

interface Event {
  readonly kind: 'leading' | 'inside' | 'committed' | 'failed';
  readonly detail: string;
}

interface Member extends Disposable {
  readonly process: ChildProcess;
  readonly events: readonly Event[];
  has(kind: Event['kind'], since?: number): boolean;
}

describe.runIf(await hasPostgres())('a leader that is stopped inside a transaction', () => {
  let test: TestServer;
  /** The number of transactions that the stopped member had committed before. */
  let committed: number;
  beforeAll(async () => {
    test = await testServer();
    await test.admin.query('create table log (token bigint, count int, member text)');
  });
  afterAll(() => test[Symbol.asyncDispose]());

  function start(member: string, group: string, isFenced: boolean): Member {
    const input = { ...test.config, member, group, thresholdMs, isFenced, limitMs: 500 };
    const child = spawn(process.execPath, [program, JSON.stringify(input)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // A stopped process does not notice that the test has ended.
    const guard = runOnExit('kill -KILL "$0"', String(child.pid));
    const events: Event[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => events.push(JSON.parse(line)));
    return {
      process: child,
      events,
      has: (kind, since = 0) => events.slice(since).some((event) => event.kind === kind),
      [Symbol.dispose]() {
        child.kill('SIGKILL');
        guard[Symbol.dispose]();
      },
    };
  }

  /** Stops the leader inside a transaction until another member has led, and resumes it. */
  async function overtake(isFenced: boolean): Promise<Event> {
    const group = randomUUID();
    await test.admin.query('delete from log');
    using leader = start('old', group, isFenced);
    await eventually('the first member commits', () => leader.has('committed'));
    using successor = start('new', group, isFenced);
    leader.process.kill('SIGUSR2');
    await eventually('it is inside a transaction', () => leader.has('inside'));
    leader.process.kill('SIGSTOP');
    const stoppedAt = leader.events.length;
    committed = leader.events.filter(({ kind }) => kind === 'committed').length;
    await eventually('a successor commits', () => successor.has('committed'));
    leader.process.kill('SIGCONT');
    return await eventually('the stopped member wakes', () => leader.events[stoppedAt]);
  }

  async function rowsOf(member: string): Promise<number> {
    const sql = 'select 1 from log where member = $1';
    return (await test.admin.query(sql, [member])).rowCount ?? 0;
  }

  it('cannot commit after a successor has begun', async () => {
    expect(await overtake(true)).toMatchObject({ kind: 'failed' });
    expect(await rowsOf('old')).toBe(committed);
  });

  it('commits without the fence, which shows that the test can fail', async () => {
    expect(await overtake(false)).toMatchObject({ kind: 'committed' });
    expect(await rowsOf('old')).toBeGreaterThan(committed);
  });
});
