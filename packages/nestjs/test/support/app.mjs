// A Nest application with a cron job and an interval on the leader. Uses the built packages.
import 'reflect-metadata';
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { LEADERSHIP_SOURCE, LeadershipModule, OnlyLeader } from '@leadership/nestjs';
import { LeaderCron } from '@leadership/nestjs/schedule';
import { fileTicks } from '@leadership/scheduler';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Interval, ScheduleModule } from '@nestjs/schedule';

const { url, ticks, log, member } = JSON.parse(process.argv[2]);
const write = (line) => appendFileSync(log, `${line}\n`);

class Jobs {
  tick({ at }) {
    write(`tick ${at.toISOString()} ${member}`);
  }

  async step() {
    write(`begin ${member}`);
    await pause(300);
    write(`end ${member}`);
  }
}

/** Applies a decorator as TypeScript does. */
function decorate(prototype, key, ...decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, key);
  for (const decorator of decorators.reverse()) decorator(prototype, key, descriptor);
  Object.defineProperty(prototype, key, descriptor);
}
decorate(
  Jobs.prototype,
  'tick',
  LeaderCron('* * * * * *', { role: 'jobs', name: 'tick', store: fileTicks(ticks) }),
);
decorate(Jobs.prototype, 'step', Interval(400), OnlyLeader('jobs'));

class App {}
const options = { member, partitions: 1, thresholdMs: 3000 };
Module({
  imports: [ScheduleModule.forRoot(), LeadershipModule.forRoot({ url, options })],
  providers: [Jobs],
})(App);

const app = await NestFactory.create(App, { logger: ['error', 'warn'] });
app.enableShutdownHooks();
await app.listen(0, '127.0.0.1');
const source = app.get(LEADERSHIP_SOURCE);
source.events$.subscribe(({ kind }) => write(`${kind} ${member}`));
await source.ready();
write(`started ${member}`);
