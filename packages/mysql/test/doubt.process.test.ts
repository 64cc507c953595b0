import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Exchanged, RowChange } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import { hasLocalMysql, type LocalMysql } from '@leadership/tools/mysql';
import { changed, exchanged, type OpenRows, prepared } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mysqlLeadership } from '../src/index.ts';
import { openRows } from './support/open-rows.ts';
import { administered, ownServer, type TestConfig, type TestServer } from './support/server.ts';

const run = promisify(execFile);
const hourMs = 3_600_000;

describe.runIf(await hasLocalMysql())('a server that may lack changes (M6)', () => {
  let test: TestServer<LocalMysql>;
  const group = randomUUID();
  beforeAll(async () => {
    test = await ownServer();
    await using rows = openRows(test.config, { group });
    await prepared(rows);
    await changed(rows, 'a', null, '1');
  });
  afterAll(() => test[Symbol.asyncDispose]());

  const restart = async (): Promise<void> => {
    await test.server.kill();
    // The start of a server is known to the second.
    await setTimeout(1000);
    await test.server.start();
  };

  /** Returns whether a new reader doubts a server that is younger than that. */
  async function doubts(
    config: TestConfig,
    doubtMs: number,
    options: { readonly group?: string; readonly observes?: boolean } = { group },
  ): Promise<boolean> {
    await using open = openRows(config, { ...options, doubtMs });
    await prepared(open, options.observes !== true);
    const { isRestarted = false } = await exchanged(open.rows, undefined);
    return isRestarted;
  }

  it('is doubted at first by a new reader, for a time that begins with its first member', async () => {
    expect(await doubts(test.config, hourMs)).toBe(true);
    await eventually('it is trusted', async () => !(await doubts(test.config, 1000)));
    await restart();
    const observer = { group, observes: true };
    expect(await doubts(test.config, 0, observer)).toBe(true);
    expect(await doubts(test.config, hourMs)).toBe(true);
    expect(await doubts(test.config, 0, observer)).toBe(false);
    await eventually('it is trusted', async () => !(await doubts(test.config, 1000)));
  });

  it('is not doubted for a new group, which has nothing to lose', async () => {
    expect(await doubts(test.config, hourMs, {})).toBe(false);
  });

  it('is doubted as a replica that was promoted a moment ago, also if it started long before', async () => {
    await using replica = administered(await test.server.replica());
    await eventually('it has the table', async () => {
      const count = `select count(*) from leadership where group_name = '${group}'`;
      return (await replica.server.execute(count).catch(() => '0')) === '1';
    });
    await replica.admin.query('stop slave; reset slave all; set global read_only = 0');
    expect(await doubts(replica.config, 1000)).toBe(true);
    await eventually('it is trusted', async () => !(await doubts(replica.config, 1000)));
  });

  describe('for a reader that knows it', () => {
    /** Reads until the connection is a new one. */
    const answered = (
      open: OpenRows,
      since: unknown,
      changes: RowChange[] = [],
    ): Promise<Exchanged> =>
      eventually('the server answers', () =>
        exchanged(open.rows, since, changes).catch(() => undefined),
      );

    async function reader(): Promise<readonly [OpenRows, Exchanged]> {
      const open = openRows(test.config, { doubtMs: 0 });
      await prepared(open);
      const first = await exchanged(open.rows, undefined);
      const created = { name: 'a', expected: null, text: '1' };
      return [open, await exchanged(open.rows, first.position, [created])];
    }

    it('shows all rows after a restart, changes nothing for once, and is trusted', async () => {
      const [open, before] = await reader();
      await restart();
      const change = { name: 'a', expected: '1', text: '2' };
      const answer = await answered(open, before.position, [change]);
      expect(answer).toMatchObject({ isWhole: true, outcomes: [false], rows: [['a', '1']] });
      expect(answer.isRestarted).toBeUndefined();
      expect((await exchanged(open.rows, answer.position, [change])).outcomes).toEqual([true]);
      await open[Symbol.asyncDispose]();
    });

    it('has another history after a restart if commits did not wait for the disk', async () => {
      const [open, { position }] = await reader();
      await restart();
      // A new connection: those of the pool ended with the server.
      await test.server.execute('set global innodb_flush_log_at_trx_commit = 2');
      expect(await answered(open, position)).toMatchObject({ isRestarted: true, isWhole: true });
      await test.server.execute('set global innodb_flush_log_at_trx_commit = 1');
      await open[Symbol.asyncDispose]();
    });

    it('has another history if its disk went back', async () => {
      const data = join(test.server.directory, 'data');
      const [open, kept] = await reader();
      await test.server.stop();
      await run('cp', ['-a', data, `${data}-kept`]);
      await test.server.start();
      const again = await answered(open, kept.position);
      const lost = [{ name: 'a', expected: '1', text: '2' }];
      const { position } = await exchanged(open.rows, again.position, lost);
      await test.server.kill();
      await run('rm', ['-r', data]);
      await run('mv', [`${data}-kept`, data]);
      await test.server.start();
      expect(await answered(open, position)).toMatchObject({
        isRestarted: true,
        rows: [['a', '1']],
      });
      await open[Symbol.asyncDispose]();
    });
  });

  it('keeps the terms of a leader that renews again in time', async () => {
    const thresholdMs = 20_000;
    await using source = mysqlLeadership({
      connection: test.config,
      group: randomUUID(),
      thresholdMs,
      partitions: 4,
    });
    const role = source.role('r');
    let terms = 0;
    const over = new AbortController();
    const led = role.lead(
      async (term) => {
        terms += 1;
        await new Promise((resolve) => term.signal.addEventListener('abort', resolve));
      },
      { signal: over.signal },
    );
    await eventually('it leads', () => terms === 1, { withinMs: 3 * thresholdMs });
    await restart();
    const troubled = (): boolean => source.health().troubles.length > 0;
    await eventually('it has noticed', troubled, { withinMs: thresholdMs });
    await eventually('it renews again', () => !troubled(), { withinMs: thresholdMs });
    expect(terms).toBe(1);
    expect(role.isLeading()).toBe(true);
    over.abort();
    await led;
  });
});
