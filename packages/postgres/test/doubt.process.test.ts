import { randomUUID } from 'node:crypto';
import { eventually } from '@leadership/testkit/adapter';
import { hasLocalPostgres, type LocalPostgres } from '@leadership/tools/postgres';
import { changed, prepared } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRows } from './support/open-rows.ts';
import { administered, ownServer, type TestConfig, type TestServer } from './support/server.ts';

const hourMs = 3_600_000;

describe.runIf(await hasLocalPostgres())('the first reading of a group (M6)', () => {
  let test: TestServer<LocalPostgres>;
  const group = randomUUID();
  beforeAll(async () => {
    test = await ownServer();
    await using rows = openRows(test.config, { group });
    await prepared(rows);
    await changed(rows, 'a', null, '1');
  });
  afterAll(() => test[Symbol.asyncDispose]());

  /** Returns whether a new reader doubts a server that is younger than that. */
  async function doubts(
    config: TestConfig,
    doubtMs: number,
    options: { readonly group?: string } = { group },
  ): Promise<boolean> {
    await using open = openRows(config, { ...options, doubtMs });
    const request = { changes: [], since: undefined };
    const { isRestarted = false } = await open.rows.exchange(request, AbortSignal.timeout(10_000));
    return isRestarted;
  }

  it('is doubted on a server that started a moment ago, whose disk may be an older one', async () => {
    expect(await doubts(test.config, hourMs)).toBe(true);
    await eventually('it is trusted', async () => !(await doubts(test.config, 1000)));
  });

  it('is not doubted for a new group, which has nothing to lose', async () => {
    expect(await doubts(test.config, hourMs, {})).toBe(false);
  });

  it('is not doubted on a server that has recovered from a crash, after its time', async () => {
    await test.server.kill();
    await test.server.start();
    expect(await doubts(test.config, hourMs)).toBe(true);
    await eventually('it is trusted', async () => !(await doubts(test.config, 1000)));
  });

  it('is doubted on a replica that was promoted a moment ago, also if it started long before', async () => {
    await using replica = administered(await test.server.replica());
    const startedMs = 1500;
    await new Promise((resolve) => setTimeout(resolve, startedMs));
    await replica.admin.query('select pg_promote(true, 60)');
    expect(await doubts(replica.config, startedMs)).toBe(true);
    await replica.admin.query('checkpoint');
    await eventually('it is trusted', async () => !(await doubts(replica.config, startedMs)));
  });

  it('is doubted if the user may not ask for checkpoints', async () => {
    const user = `u${randomUUID().slice(0, 8)}`;
    await test.admin.query(`create role ${user} login password 'p'`);
    await test.admin.query(`grant select on leadership to ${user}`);
    const config = { ...test.config, user, password: 'p' };
    expect(await doubts(config, 0)).toBe(false);
    await test.admin.query('revoke execute on function pg_control_checkpoint() from public');
    expect(await doubts(config, 0)).toBe(true);
  });
});
