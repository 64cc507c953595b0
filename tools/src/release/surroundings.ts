// Completes the snippets of the documentation, so that `npm run release:check` can compile them.

/**
 * The declarations of the program around a fragment of a page: a fragment shows one step, and the page
 * says where the rest comes from. A snippet that declares or imports a name itself does not see these.
 */
export const surroundings = `import type { RequestHandler, Express } from 'express';
import type * as core from '@leadership/core';
import type * as memory from '@leadership/core/memory';
import type * as etcd from '@leadership/etcd';
import type * as http from '@leadership/http';
import type * as mysql from '@leadership/mysql';
import type * as nats from '@leadership/nats';
import type * as nerio from '@leadership/nerio';
import type * as pg from '@leadership/postgres';
import type * as scheduler from '@leadership/scheduler';

declare global {
  // Names that an earlier block of the page, or the sentence before the block, imports.
  const openLeadership: typeof core.openLeadership;
  const anyOf: typeof core.anyOf;
  type Health = core.Health;
  const memoryGroup: typeof memory.memoryGroup;
  const etcdLeadership: typeof etcd.etcdLeadership;
  const postgresLeadership: typeof pg.postgresLeadership;
  const mysqlLeadership: typeof mysql.mysqlLeadership;
  const natsLeadership: typeof nats.natsLeadership;
  const nerioLeadership: typeof nerio.nerioLeadership;
  const tcpTransport: typeof nerio.tcpTransport;
  const readiness: typeof http.readiness;
  const nodeCronCoordinator: typeof scheduler.nodeCronCoordinator;
  const readFileSync: typeof import('node:fs').readFileSync;
  const cron: typeof import('node-cron');
  const pino: typeof import('pino').pino;

  // Values of the application.
  const source: core.LeadershipSource & Pick<ReturnType<typeof nerioLeadership>, 'reconfigure'>;
  const app: Express;
  const url: string;
  const member: string;
  const password: string;
  const secret: string;
  const endpoints: string[];
  const cert: Buffer;
  const key: Buffer;
  const ca: Buffer;
  const transport: ReturnType<typeof nerio.tcpTransport>;
  const pool: import('pg').Pool;
  const client: import('ioredis').Redis;
  const takeOrder: RequestHandler;
  const test: typeof import('vitest').test;
  const expect: typeof import('vitest').expect;
  function sendReport(of?: unknown): Promise<void>;
  function sendNextInvoice(term: core.Term): Promise<void>;
  function readSecret(name?: string): Promise<string>;
  function readPassword(): Promise<string>;
}
`;
