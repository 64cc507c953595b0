// What the lock of docs/how-to/from-pg-advisory-lock.md gets wrong on a real Postgres, and that
// leadership holds where it fails: each scenario runs with the program before and after.
import { tcpProxy } from '@leadership/testkit/faults';
import {
  hasLocalPostgres,
  hasPgbouncer,
  type LocalPostgres,
  localPgbouncer,
  localPostgres,
} from '@leadership/tools/postgres';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  amidInvoice,
  killedAmidInvoice,
  startWorker,
  stopped,
  type Worker,
  wronglySent,
} from './workers.ts';

const programs = [
  ['an advisory lock', 'advisory-lock.mjs', true],
  ['leadership', 'advisory-lock-replaced.mjs', false],
] as const;

const advisory = `select pid from pg_locks where locktype = 'advisory'`;
/** The sessions on which the exclusion rests: those with the lock, and those of members. */
const sessions = `${advisory} union select pid from pg_stat_activity where application_name like 'leadership%'`;

const isPooled = (await hasLocalPostgres()) && (await hasPgbouncer());

describe.runIf(await hasLocalPostgres()).each(programs)('with %s', (_, program, isWrong) => {
  let server: LocalPostgres;
  let admin: pg.Pool;
  const opened: AsyncDisposable[] = [];
  beforeAll(async () => {
    server = await localPostgres();
    const { host, port, user, password, database } = server;
    admin = new pg.Pool({ host, port, user, password, database });
    admin.on('error', () => undefined);
  });
  afterAll(async () => {
    await admin.end();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await admin.query('create table sent (number int, sender text)');
  });
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
    await admin.query('drop table sent; drop table if exists leadership');
  });
  const kept = <T extends AsyncDisposable>(one: T): T => {
    opened.push(one);
    return one;
  };

  function start(name: string, port = server.port): Worker {
    const { user, password, database } = server;
    const DATABASE_URL = `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
    return kept(startWorker(program, name, { DATABASE_URL }));
  }

  async function alice(port?: number): Promise<Worker> {
    const worker = start('alice', port);
    await worker.says('has sent invoice');
    return worker;
  }

  async function sent(): Promise<readonly { readonly number: number; readonly sender: string }[]> {
    return (await admin.query('select number, sender from sent order by ctid')).rows;
  }

  const killSessions = () => admin.query(`select pg_terminate_backend(pid) from (${sessions}) s`);

  it(`after the loss of a session ${isWrong ? 'two processes send every invoice' : 'one process goes on'}`, async () => {
    const first = await alice();
    await killSessions();
    const second = start('bob');
    if (isWrong) await second.says('has sent invoice');
    await first.says('has sent invoice');
    await first.says('has sent invoice');
    expect(wronglySent(await sent()).length > 0).toBe(isWrong);
  });

  it(`a process that is stopped ${isWrong ? 'blocks all others for as long as it is' : 'is replaced, and sends nothing again'}`, async () => {
    const first = await alice();
    const stopping = await amidInvoice(first, () => stopped(first));
    const second = start('bob');
    if (isWrong) {
      // Longer than a lease of leadership.
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      expect(second.count('has the lock')).toBe(0);
      const { rows } = await admin.query(advisory);
      expect(rows).toHaveLength(1);
    } else {
      await second.says('has sent invoice');
      stopping[Symbol.dispose]();
      await second.says('has sent invoice');
      await second.says('has sent invoice');
      expect(wronglySent(await sent())).toEqual([]);
      expect((await sent()).at(-1)?.sender).toBe('bob');
    }
  });

  it(`a write that the network has kept ${isWrong ? 'arrives after those of the successor, and counts' : 'is refused once the successor has begun'}`, async () => {
    const way = kept(await tcpProxy(server));
    const first = await alice(way.port);
    const keeping = await amidInvoice(first, () => way.hold('to-server'));
    await killSessions();
    const second = start('bob');
    await second.says('has sent invoice');
    keeping[Symbol.dispose]();
    await second.says('has sent invoice');
    await second.says('has sent invoice');
    expect(wronglySent(await sent()).length > 0).toBe(isWrong);
  });

  it.runIf(isPooled)(
    `behind PgBouncer ${isWrong ? 'two processes have the lock, and no third one gets it after their end' : 'one process leads, and the next one after its end'}`,
    async () => {
      const pooler = kept(await localPgbouncer(server));
      const first = await alice(pooler.port);
      const second = start('bob', pooler.port);
      if (isWrong) await second.says('has sent invoice');
      await first.says('has sent invoice');
      await first.says('has sent invoice');
      expect(wronglySent(await sent()).length > 0).toBe(isWrong);
      await killedAmidInvoice(first);
      if (!isWrong) return await second.says('has sent invoice');
      await killedAmidInvoice(second);
      // The pooler keeps the session, and the session the lock.
      const { rows } = await admin.query(advisory);
      expect(rows).toHaveLength(1);
      const { rows: asked } = await admin.query('select pg_try_advisory_lock(4711) as locked');
      expect(asked).toEqual([{ locked: false }]);
    },
  );
});
