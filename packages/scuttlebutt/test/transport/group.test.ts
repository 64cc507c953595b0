// Machines that exchange real datagrams. All clocks are the clock of this process, so that beliefs
// can be compared at any moment.
import { afterEach, expect, test } from 'vitest';
import {
  generationAt,
  type MemberConfig,
  type MemberState,
  newMember,
  type ScuttlebuttInput,
  scuttlebuttRules,
  step,
} from '../../src/protocol.ts';
import type { GossipTransport } from '../../src/transport/transport.ts';
import { udpTransport } from '../../src/transport/udp-transport.ts';
import { freeName } from '../support/sockets.ts';

const keys = { sign: 'k', accept: { k: 'a secret of this test' } };
const drivers: Driver[] = [];
afterEach(async () => {
  for (const driver of drivers.splice(0)) await driver.stop();
});

/** Runs one member. */
class Driver {
  readonly name: string;
  readonly failures: string[] = [];
  until = Number.NEGATIVE_INFINITY;
  token = 0n;
  readonly #config: MemberConfig;
  #state: MemberState;
  #transport: GossipTransport | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: MemberConfig) {
    this.name = config.member;
    this.#config = config;
    const initial = { generation: generationAt(Date.now() * 1000), seed: drivers.length };
    this.#state = newMember(scuttlebuttRules, config, initial, momentNow());
    drivers.push(this);
  }

  async start(): Promise<void> {
    const { member, partitions, voters, pin } = this.#config;
    const place = { group: 'g', member, partitions, configured: voters, pin };
    this.#transport = await udpTransport({ keys })(place, {
      received: (message) => this.feed({ kind: 'received', message }),
      dropped: (reason) => this.failures.push(reason),
      failed: (member, error) => this.failures.push(`${member}: ${error.message}`),
      streamed: (member, error) => error && this.failures.push(`${member}: ${error.message}`),
      unresolved: (member) => this.failures.push(`${member}: no address`),
      keys: (error) => expect(error).toBeUndefined(),
    });
    this.feed({ kind: 'wake' });
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.until = Number.NEGATIVE_INFINITY;
    const transport = this.#transport;
    this.#transport = undefined;
    await transport?.close();
  }

  isLeading(): boolean {
    return performance.now() < this.until;
  }

  feed(input: ScuttlebuttInput): void {
    if (this.#transport === undefined) return;
    const { state, outputs, wakeAt } = step(scuttlebuttRules, this.#state, input, momentNow());
    this.#state = state;
    clearTimeout(this.#timer);
    const ms = Math.max(0, wakeAt - performance.now());
    if (Number.isFinite(ms)) this.#timer = setTimeout(() => this.feed({ kind: 'wake' }), ms + 1);
    for (const output of outputs) {
      if (output.kind === 'send') this.#transport.send(output.to, output.message);
      else if (output.kind === 'lost') this.until = Number.NEGATIVE_INFINITY;
      else if (output.kind === 'granted') this.#granted(output.token, output.until);
    }
  }

  #granted(token: bigint, until: number): void {
    for (const other of drivers) if (other !== this) expect(other.isLeading()).toBe(false);
    this.token = token;
    this.until = until;
  }
}

function momentNow(): { now: MemberState['startedAt']; wallMicros: number } {
  return { now: performance.now() as MemberState['startedAt'], wallMicros: Date.now() * 1000 };
}

test('members elect one leader over UDP, and another one after it has closed (S5, T1)', async () => {
  const names = await Promise.all([1, 2, 3, 4].map(freeName));
  const voters = names.slice(0, 3);
  for (const member of names) {
    const driver = new Driver({
      member,
      voters,
      seeds: voters,
      partitions: 1,
      isCandidate: true,
      thresholdMs: 1500,
      driftRate: 500e-6,
      intervalMs: 150,
      electionMs: 100,
      fanout: 2,
      budget: 1000,
      digestsMax: 8,
      forgetAfterMs: 60_000,
      tombstoneMs: 10_000,
      nodesMax: 100,
      keysMax: 16,
      pin: 'ef'.repeat(16),
    });
    await driver.start();
  }
  const leader = () => drivers.find((driver) => driver.isLeading());
  await expect.poll(leader).toBeDefined();
  const first = leader();
  const token = first?.token ?? 0n;
  await first?.stop();
  await expect.poll(() => leader()?.token ?? 0n).toBeGreaterThan(token);
  const others = drivers.filter((driver) => driver !== first);
  expect(others.flatMap(({ failures }) => failures)).toEqual([]);
});
