// Real Nest applications, on the memory backend.
import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import type { LeadershipSource, Role } from '@leadership/core';
import { memoryGroup } from '@leadership/core/memory';
import {
  Controller,
  Get,
  type INestApplication,
  Injectable,
  Module,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { filter, firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import {
  InjectRole,
  InjectSource,
  LEADERSHIP_SOURCE,
  LeadershipHealthIndicator,
  LeadershipModule,
  OnlyLeader,
} from '../src/index.ts';

/** A service whose decorators are calls: the sources of this repository contain no decorators. */
class Reports {
  readonly source: LeadershipSource;
  readonly role: Role;
  finish: (() => void) | undefined;

  constructor(source: LeadershipSource, role: Role) {
    this.source = source;
    this.role = role;
  }

  write(title: string): Promise<string> {
    return new Promise((resolve) => {
      this.finish = () => resolve(`${title} by ${this.source.member}`);
    });
  }
}
Injectable()(Reports);
InjectSource()(Reports, undefined, 0);
InjectRole('report')(Reports, undefined, 1);
decorate(Reports, 'write', OnlyLeader('report'));

class HealthController {
  readonly #health: HealthCheckService;
  readonly #leadership: LeadershipHealthIndicator;

  constructor(health: HealthCheckService, leadership: LeadershipHealthIndicator) {
    this.#health = health;
    this.#leadership = leadership;
  }

  check(): Promise<unknown> {
    return this.#health.check([() => this.#leadership.isHealthy()]);
  }
}
Reflect.defineMetadata(
  'design:paramtypes',
  [HealthCheckService, LeadershipHealthIndicator],
  HealthController,
);
Controller('health')(HealthController);
decorate(HealthController, 'check', Get());

/** Applies a decorator as TypeScript does. */
function decorate(
  { prototype }: Type,
  key: string,
  decorator: (target: object, key: string, descriptor: PropertyDescriptor) => unknown,
): void {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, key) ?? {};
  decorator(prototype, key, descriptor);
  Object.defineProperty(prototype, key, descriptor);
}

async function start(
  leadership: Parameters<typeof LeadershipModule.forRoot>[0],
  parts: Parameters<typeof Module>[0] = {},
): Promise<AsyncDisposable & { readonly app: INestApplication }> {
  class App {}
  Module({
    providers: [Reports],
    ...parts,
    imports: [
      LeadershipModule.forRoot(leadership),
      LeadershipModule.forFeature('report', 'other'),
      ...(parts.imports ?? []),
    ],
  })(App);
  const app = await NestFactory.create(App, { logger: false, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  return { app, [Symbol.asyncDispose]: () => app.close() };
}

const options = (member: string) => ({ member, partitions: 1, log: false as const });

it('injects the source and roles, and runs a method on the leader only', async () => {
  const name = crypto.randomUUID();
  const group = memoryGroup(name);
  await using first = await start({ url: `memory:${name}`, options: options('a') });
  await using second = await start({ url: `memory:${name}`, options: options('b') });
  await group.elect('a', 0);
  const [a, b] = [first.app.get(Reports), second.app.get(Reports)];
  expect(a.source).toBe(first.app.get(LEADERSHIP_SOURCE));
  expect([a.role.key, a.role.isLeading()]).toEqual(['report', true]);
  expect(b.write('ignored')).toBeUndefined();
  expect(b.finish).toBeUndefined();
  const written = a.write('first');
  const order: string[] = [];
  const elected = group.elect('b', 0).then(() => order.push('b leads'));
  await firstValueFrom(a.role.leadership$.pipe(filter(({ state }) => state === 'revoking')));
  expect(a.write('while it hands over')).toBeUndefined();
  expect(a.role.isLeading(), 'until the method has returned').toBe(true);
  order.push('written');
  a.finish?.();
  expect(await written).toBe('first by a');
  await elected;
  expect(order, 'a hand-over waits for the method').toEqual(['written', 'b leads']);
});

it('closes the source after the HTTP server, and waits for work', async () => {
  const name = crypto.randomUUID();
  const { app } = await start({ url: `memory:${name}`, options: options('a') });
  await memoryGroup(name).elect('a', 0);
  const reports = app.get(Reports);
  const written = reports.write('last');
  let isClosed = false;
  const closed = app.close().then(() => {
    isClosed = true;
  });
  await expect.poll(() => reports.source.health().ok).toBe(false);
  expect(isClosed).toBe(false);
  reports.finish?.();
  await written;
  await closed;
  expect(reports.source.held().size).toBe(0);
});

it('reports to @nestjs/terminus over HTTP', async () => {
  const name = crypto.randomUUID();
  await using started = await start(
    { url: `memory:${name}`, options: options('a') },
    { imports: [TerminusModule.forRoot({ logger: false })], controllers: [HealthController] },
  );
  const { app } = started;
  const { port } = app.getHttpServer().address() as AddressInfo;
  const ask = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/health`);
    return [response.status, await response.json()] as const;
  };
  await expect.poll(ask).toMatchObject([200, { info: { leadership: { status: 'up' } } }]);
  const source = app.get<LeadershipSource>(LEADERSHIP_SOURCE);
  const stop = new AbortController();
  const leading = source
    .role('report')
    .lead(() => Promise.reject(new Error('no paper')), { signal: stop.signal });
  await expect
    .poll(ask)
    .toMatchObject([
      503,
      { error: { leadership: { status: 'down', troubles: [{ code: 'work-failed' }] } } },
    ]);
  const [, body] = await ask();
  expect(body).toMatchObject({
    error: { leadership: { troubles: [{ cause: { name: 'Error', message: 'no paper' } }] } },
  });
  // It contains paths of this host.
  expect(JSON.stringify(body)).not.toContain('stack');
  stop.abort();
  await leading;
});

it('opens a source with what other providers know', async () => {
  const name = crypto.randomUUID();
  class Config {
    readonly member = 'configured';
  }
  class ConfigModule {}
  Module({ providers: [Config], exports: [Config] })(ConfigModule);
  class App {}
  Module({
    imports: [
      LeadershipModule.forRootAsync({
        imports: [ConfigModule],
        inject: [Config],
        useFactory: ({ member }: Config) => memoryGroup(name).join({ member, log: false }),
      }),
    ],
  })(App);
  const context = await NestFactory.createApplicationContext(App, { logger: false });
  const source = context.get<LeadershipSource>(LEADERSHIP_SOURCE);
  expect(source.member).toBe('configured');
  await context.close();
  expect(source.health().ok).toBe(false);
});

it('fails to start with options that the backend refuses', async () => {
  const partitions = -1;
  const url = `memory:${crypto.randomUUID()}`;
  await expect(start({ url, options: { partitions } })).rejects.toThrow('partitions');
});

it('explains a method whose object Nest has not created', async () => {
  const group = memoryGroup(crypto.randomUUID());
  await using source = group.join({ log: false });
  expect(() => new Reports(source, source.role('report')).write('never')).toThrow(
    'Reports.write runs on the leader only, but Nest did not create its object',
  );
});

it('keeps what other decorators know about the method, in either order', () => {
  class Jobs {
    both(): void {}
  }
  const mark = (_target: object, _key: string, { value }: PropertyDescriptor): void =>
    Reflect.defineMetadata('marked', true, value);
  decorate(Jobs, 'both', mark);
  decorate(Jobs, 'both', OnlyLeader('report'));
  expect(Reflect.getMetadata('marked', Jobs.prototype.both)).toBe(true);
  expect(Jobs.prototype.both.name).toBe('both');
});
