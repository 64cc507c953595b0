// A cron job in a real Nest application, on the memory backend.
import 'reflect-metadata';
import type { LeadershipSource } from '@leadership/core';
import { memoryGroup } from '@leadership/core/memory';
import type { TickStore } from '@leadership/scheduler';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { expect, it } from 'vitest';
import { LEADERSHIP_SOURCE, LeadershipModule } from '../src/index.ts';
import { LeaderCron } from '../src/schedule.ts';

it('reports a tick that the store refuses because of the token, until a claim succeeds', async () => {
  const group = crypto.randomUUID();
  let refuses = true;
  const store: TickStore = {
    latest: () => Promise.resolve(undefined),
    claim: () => Promise.resolve(!refuses),
  };
  let runs = 0;
  class Jobs {
    tick(): void {
      runs += 1;
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Jobs.prototype, 'tick') ?? {};
  LeaderCron('* * * * * *', { role: 'jobs', name: 'report', store })(
    Jobs.prototype,
    'tick',
    descriptor,
  );
  Object.defineProperty(Jobs.prototype, 'tick', descriptor);
  class App {}
  const options = { member: 'a', partitions: 1, log: false as const };
  Module({
    imports: [
      ScheduleModule.forRoot(),
      LeadershipModule.forRoot({ url: `memory:${group}`, options }),
    ],
    providers: [Jobs],
  })(App);
  const app = await NestFactory.create(App, { logger: false, abortOnError: false });
  await using _ = { [Symbol.asyncDispose]: () => app.close() };
  await app.init();
  await memoryGroup(group).elect('a', 0);
  const source = app.get<LeadershipSource>(LEADERSHIP_SOURCE);
  const within = { timeout: 60_000 };
  await expect
    .poll(() => source.health().troubles, within)
    .toMatchObject([
      {
        code: 'work-failed',
        message: expect.stringMatching(/"report".*refuses the token \d+, because it has seen/),
      },
    ]);
  expect(runs).toBe(0);
  refuses = false;
  await expect.poll(() => runs, within).toBeGreaterThan(0);
  expect(source.health().ok).toBe(true);
});
