import { join } from 'node:path';
import process from 'node:process';
import { openLeadership } from '@leadership/core';
// The backend of a group in a URL below: nothing else refers to the package.
import type {} from '@leadership/nerio';
import { eventually } from '@leadership/testkit/adapter';
import { freePorts } from '@leadership/testkit/faults';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { canContain, containing, startCommand } from './support/command.ts';
import { application, Scene, thresholdMs } from './support/scene.ts';
import {
  disturb,
  everyDeath,
  everyMistake,
  expectProof,
  startSuccessor,
  startVictims,
} from './support/victims.ts';

/** An observer reads every T/4. */
const readingMs = 0.3 * thresholdMs;

afterEach(() => vi.unstubAllEnvs());

// Most of the time they wait for leases, so they run at once.
describe.runIf(process.platform === 'linux')('guard', () => {
  it.concurrent('releases the lease of a dead process at once, and of no other process early (L13 to L16)', async () => {
    await using scene = new Scene();
    const guard = await scene.guard();
    const groups = [
      {
        prefix: '',
        url: (group: string) => scene.url(group),
        deaths: everyDeath,
        mistakes: everyMistake,
      },
    ];
    const started = await startVictims(scene, groups);
    const reborn = scene.start('reborn', 'main', [scene.url('reborn')]);
    await scene.noted('reborn', 'lead');
    await startSuccessor(scene, groups);
    // The young one leads T after its start, so that it is the second clock.
    await scene.age(['clock']);
    const young = scene.start('young', 'main', [scene.url('young')]);
    const began = await scene.noted('young', 'lead');
    const read = began.atNs + BigInt(readingMs * 1e6);
    await eventually('the guard has read it', () => process.hrtime.bigint() > read);

    await disturb(scene, groups, started);
    young.process.kill('SIGKILL');
    scene.start('heir', 'main', [scene.url('young')]);
    reborn.process.kill('SIGKILL');
    scene.start('reborn', 'main', [scene.url('reborn')]);

    await expectProof(scene, groups);
    const { atNs } = await scene.noted('heir', 'lead', 'young');
    expect(atNs, 'young: waited for the lease').toBeGreaterThanOrEqual(scene.leaseEndNs('young'));
    // The death of the first process says nothing about the second one, which has the same name.
    // It has known the term of the first one only since it has read the group, so it waits T (M10).
    const terms = await eventually('reborn leads again', () => {
      const begun = scene.lines().filter((line) => line.name === 'reborn' && line.kind === 'lead');
      return begun.length > 1 && begun;
    });
    expect(terms).toHaveLength(2);
    const nowNs = process.hrtime.bigint();
    await eventually('the second reborn still leads', () =>
      scene
        .lines()
        .some(
          ({ name, kind, token, atNs: beatNs }) =>
            name === 'reborn' && kind === 'beat' && token === terms[1]?.token && beatNs > nowNs,
        ),
    );
    for (const line of [
      'does not prove its death',
      'member reborn: released partition 0',
      'member young: partition 0 lapses, because its term was younger than T',
    ])
      await eventually(`the guard reports: ${line}`, () => guard.stderr().includes(line));
  }, 180_000);

  it.concurrent('waits for --grace before it releases; members outlive it, and join the next guard', async () => {
    await using scene = new Scene();
    const guard = await scene.guard(['--grace', '1500']);
    const first = scene.start('first', 'main', [scene.url('first')]);
    await scene.noted('first', 'lead');
    scene.start('second', 'main', [scene.url('first')]);
    await scene.noted('second', 'ready', 'first');
    await scene.age();
    const killedNs = process.hrtime.bigint();
    first.process.kill('SIGKILL');
    const { atNs } = await scene.noted('second', 'lead', 'first');
    expect(atNs - killedNs, 'the grace').toBeGreaterThan(1_500_000_000n);

    guard.process.kill('SIGKILL');
    await guard.ended;
    const next = await scene.guard();
    await eventually('the next guard guards both', () =>
      ['second', 'clock'].every((name) => next.stderr().includes(`guards member ${name}`)),
    );
    const terms = scene.lines().filter(({ kind }) => kind === 'lead');
    expect(terms.map(({ name }) => name).sort()).toEqual([
      'clock',
      'first',
      'second',
      'second-clock',
    ]);
  }, 120_000);

  it.runIf(canContain).concurrent(
    'as process 1 of a container keeps the exit code, and releases before it ends',
    async () => {
      await using scene = new Scene();
      const url = scene.url('contained');
      await using container = startCommand(
        ['guard', '--', process.execPath, application, scene.directory, 'contained', 'main', url],
        {},
        containing,
      );
      await scene.noted('contained', 'lead');
      scene.start('successor', 'main', [url]);
      await scene.noted('successor', 'ready', 'contained');
      await scene.age();
      scene.order('contained', 'exit');
      expect(await container.ended, container.stderr()).toBe(3);
      const { atNs } = await scene.noted('successor', 'lead', 'contained');
      expect(atNs, 'led before the lease had ended').toBeLessThan(scene.leaseEndNs('contained'));
    },
    120_000,
  );

  it('refuses members that it cannot guard, and names the remedy; a member without its guard says so in health()', async () => {
    await using scene = new Scene();
    const guard = await scene.guard();
    vi.stubEnv('LEADERSHIP_GUARD', join(scene.directory, 'guard.sock'));
    const [port = 0] = await freePorts(1);
    const voter = `127.0.0.1:${port}`;
    const options = { log: false } as const;
    await using _nerio = await openLeadership(`nerio://${voter}/g?member=${voter}`, options);
    await using _memory = await openLeadership('memory:g', { ...options, member: 'in-memory' });
    await using guarded = await openLeadership(scene.url('guarded'), options);
    for (const member of [voter, 'in-memory'])
      await eventually(`${member} is refused`, () =>
        guard
          .stderr()
          .split('\n')
          .some(
            (line) =>
              line.includes(`does not guard member ${member}: its backend does not support`) &&
              line.includes('use files, Kafka, DynamoDB, Kubernetes, Postgres, Redis or etcd'),
          ),
      );
    await eventually('the other member is guarded', () => guard.stderr().includes('guards member'));

    const warned = (): boolean =>
      guarded.health().warnings.some(({ message }) => message.startsWith('no guard observes'));
    expect(warned()).toBe(false);
    guard.process.kill('SIGKILL');
    await eventually('health() warns', warned);
    await scene.guard();
    await eventually('the next guard observes the member', () => !warned());

    // A guard that cannot open the group of a dead member does not claim to have released anything.
    await using blind = new Scene({ LEADERSHIP_OPTIONS: 'nonsense' });
    const blindGuard = await blind.guard();
    const unopened = blind.start('unopened', 'main', [blind.url('unopened')]);
    await eventually('the guard cannot open the group', () =>
      blindGuard.stderr().includes('cannot guard member unopened'),
    );
    unopened.process.kill('SIGKILL');
    await eventually('the guard reports that it released nothing', () =>
      blindGuard.stderr().includes('cannot release the leases of member unopened'),
    );
    expect(blindGuard.stderr()).not.toContain('released partition');
  }, 60_000);
});
