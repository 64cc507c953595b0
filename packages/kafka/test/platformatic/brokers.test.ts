import { eventually } from '@leadership/testkit/adapter';
import * as library from '@platformatic/kafka';
import { afterEach, describe, expect, it } from 'vitest';
import { Brokers } from '../../src/platformatic/brokers.ts';
import type { ConnectionSettings } from '../../src/platformatic/connection.ts';
import {
  keyOf,
  loginAnswers,
  metadataOf,
  type ScriptedBroker,
  scriptedBroker,
} from '../support/scripted-broker.ts';

const over: Disposable[] = [];
afterEach(() => {
  for (const end of over.splice(0)) end[Symbol.dispose]();
});

const login: ConnectionSettings = { sasl: { mechanism: 'PLAIN', username: 'u', password: 'p' } };

async function scripted(...answers: Parameters<typeof scriptedBroker>): Promise<ScriptedBroker> {
  const broker = await scriptedBroker(...answers);
  over.push(broker);
  return broker;
}

/** The brokers, once their places are known; closed after the test. */
async function known(
  seeds: () => Promise<readonly string[]>,
  settings: ConnectionSettings = {},
): Promise<Brokers> {
  const brokers = new Brokers({ library: () => Promise.resolve(library), settings, seeds });
  over.push({ [Symbol.dispose]: () => brokers.close() });
  await brokers.refresh();
  return brokers;
}

describe('any broker', () => {
  it('is a known one while one answers: it resolves the seeds again only if none does', async () => {
    const broker = await scripted({ [keyOf.metadata]: () => metadataOf([broker.port]) });
    let looks = 0;
    const brokers = await known(() => {
      looks += 1;
      return looks === 1 ? Promise.resolve([broker.address]) : new Promise(() => undefined);
    });
    expect((await brokers.any()).isOpen).toBe(true);
    expect(looks).toBe(1);
  });

  it('is one that answers, long before the attempt at a silent one times out', async () => {
    const dead = await scripted();
    const broker = await scripted({
      ...loginAnswers('PLAIN'),
      [keyOf.metadata]: () => metadataOf([dead.port, broker.port, dead.port]),
    });
    const brokers = await known(() => Promise.resolve([broker.address]), {
      ...login,
      connectTimeoutMs: 60_000,
    });
    const reached = await Promise.all([brokers.any(), brokers.any(), brokers.any()]);
    expect(reached.map(({ isOpen }) => isOpen)).toEqual([true, true, true]);
  });

  it('is a seed once no known broker is left', async () => {
    const gone = await scripted();
    const seed = await scripted({ [keyOf.metadata]: () => metadataOf([gone.port]) });
    const brokers = await known(() => Promise.resolve([seed.address]));
    gone[Symbol.dispose]();
    expect((await brokers.any()).isOpen).toBe(true);
  });

  it('is a rejection with the reason if none is reached', async () => {
    const gone = await scripted();
    gone[Symbol.dispose]();
    await expect(known(() => Promise.resolve([gone.address]))).rejects.toThrow(gone.address);
    await expect(known(() => Promise.resolve([]))).rejects.toThrow('no broker is known');
    await expect(known(() => Promise.reject(new Error('no such record')))).rejects.toThrow(
      'no such record',
    );
  });
});

describe('connections that are not needed any longer', () => {
  it('end: one to a seed, once the brokers are known', async () => {
    const seed = await scripted({ [keyOf.metadata]: () => metadataOf([broker.port]) });
    const broker = await scripted();
    const brokers = await known(() => Promise.resolve([seed.address]));
    await eventually('the seed has no connection left', () => seed.sockets.size === 0);
    await brokers.to(0, 'other');
    expect(broker.sockets.size).toBe(1);
  });

  it('end: those to a broker that has moved', async () => {
    const ports: number[] = [];
    const answers = { [keyOf.metadata]: () => metadataOf(ports) };
    const [before, after] = [await scripted(answers), await scripted()];
    ports.push(before.port);
    const brokers = await known(() => Promise.resolve([before.address]));
    await brokers.to(0, 'poll');
    ports.splice(0, 1, after.port);
    await brokers.refresh();
    await eventually('the place that it left has no connection', () => before.sockets.size === 0);
    expect((await brokers.to(0, 'poll')).isOpen).toBe(true);
  });
});
