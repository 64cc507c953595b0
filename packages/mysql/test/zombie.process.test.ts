import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { runOnExit } from '@leadership/testkit/faults';
import { hasMysql } from '@leadership/tools/mysql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf, type TestServer, testServer } from './support/server.ts';

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

describe.runIf(await hasMysql())('a leader that is stopped inside a transaction', () => {
  let test: TestServer;
  /** The number of transactions that the stopped member had committed before. */
  let committed: number;
  beforeAll(async () => {
    test = await testServer();
    await test.admin.query(
      'create table if not exists log (token bigint, count int, member varchar(20))',
    );
  });
  afterAll(() => test[Symbol.asyncDispose]());

  function start(member: string, group: string, isFenced: boolean, level: string): Member {
    const input = { ...test.config, member, group, thresholdMs, isFenced, level };
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
  async function overtake(isFenced: boolean, level: string): Promise<Event> {
    const group = randomUUID();
    await test.admin.query('delete from log');
    using leader = start('old', group, isFenced, level);
    await eventually('the first member commits', () => leader.has('committed'));
    using successor = start('new', group, isFenced, level);
    leader.process.kill('SIGUSR2');
    await eventually('it is inside a transaction', () => leader.has('inside'));
    leader.process.kill('SIGSTOP');
    const stoppedAt = leader.events.length;
    committed = leader.events.filter(({ kind }) => kind === 'committed').length;
    await eventually('a successor commits', () => successor.has('committed'));
    leader.process.kill('SIGCONT');
    return await eventually('the stopped member wakes', () => leader.events[stoppedAt]);
  }

  const rowsBy = async (member: string): Promise<number> =>
    (await rowsOf(test.admin, 'select 1 from log where member = ?', [member])).length;

  it.each(['read uncommitted', 'read committed', 'repeatable read', 'serializable'])(
    'cannot commit after a successor has begun, at %s',
    async (level) => {
      expect(await overtake(true, level)).toMatchObject({ kind: 'failed' });
      expect(await rowsBy('old')).toBe(committed);
    },
  );

  it('commits without the fence, which shows that the test can fail', async () => {
    expect(await overtake(false, 'repeatable read')).toMatchObject({ kind: 'committed' });
    expect(await rowsBy('old')).toBeGreaterThan(committed);
  });
});
