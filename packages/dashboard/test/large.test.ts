// The costs of an open page of a large group: 1,000 partitions.
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LeadershipSource } from '@leadership/core';
import { type MemoryGroup, memoryGroup } from '@leadership/core/memory';
import { expect, it } from 'vitest';
import { dashboard } from '../src/index.ts';
import { type Message, ShownParts, type ShownState } from './support/shown-state.ts';

const partitions = 1000;
const membersOf = 3;
/** T, longer than 1,000 partitions may keep a busy machine from renewing. Milliseconds. */
const thresholdMs = 30_000;
/** The most that a change of one leader may cost: its row, and the terms before and after it. Bytes. */
const bytesPerChangeMax = 1000;
/** The most that a message without a new leader may cost: the end of the lease of each member. Bytes. */
const bytesAtRestMax = 200 * membersOf;

class LargeGroup implements AsyncDisposable {
  readonly group: MemoryGroup = memoryGroup(crypto.randomUUID());
  readonly sources: readonly LeadershipSource[] = Array.from({ length: membersOf }, (_, index) =>
    this.group.join({ member: `worker-${index}`, partitions, thresholdMs, log: false }),
  );

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.sources.map((source) => source.close()));
  }
}

/** Reads the messages of a page. */
class Reading implements AsyncDisposable {
  readonly sizes: number[] = [];
  /** The sizes of messages without a change of a leader or a term. */
  readonly restingSizes: number[] = [];
  /** How often a partition was sent, or sent as one without a leader, after the whole state. */
  changes = 0;
  state: ShownState | undefined;
  readonly #shown = new ShownParts();
  readonly #server;
  readonly #request;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    let text = '';
    this.#request = get(`http://127.0.0.1:${port}/?events`, (response) => {
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          this.#note(Buffer.byteLength(event) + 2, JSON.parse(event.slice('data: '.length)));
        }
      });
    });
    this.#request.on('error', () => undefined);
  }

  static async of(source: LeadershipSource): Promise<Reading> {
    const server = createServer(dashboard(source));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Reading(server);
  }

  #note(size: number, message: Message): void {
    this.sizes.push(size);
    this.state = this.#shown.after(message);
    if (message.isWhole) return;
    // On a starved machine, a member may lose all its terms at once.
    const names = [...Object.keys(message.parts ?? {}), ...(message.gone ?? [])];
    this.changes += names.filter((name) => name.startsWith('partition ')).length;
    if (!names.some((name) => /^(partition|term) /.test(name))) this.restingSizes.push(size);
  }

  get bytes(): number {
    return this.sizes.reduce((sum, size) => sum + size, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#request.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const leaderIn = (state: ShownState | undefined, partition: number): string | undefined =>
  state?.leaders.find((leader) => leader.partition === partition)?.member;

it('sends what has changed of a large group, not its state', async () => {
  await using large = new LargeGroup();
  const [first] = large.sources;
  if (first === undefined) throw new Error('the group has no member');
  await expect.poll(() => first.roster().size).toBe(partitions);
  // Each member leads at least one partition.
  await Promise.all(large.sources.map(({ member }, index) => large.group.elect(member, index)));
  await using reading = await Reading.of(first);
  await expect.poll(() => reading.state?.leaders.length).toBe(partitions);
  const whole = reading.sizes[0] ?? 0;

  const [beganMs, changes] = [performance.now(), 30];
  for (let partition = 0; partition < changes; partition += 1) {
    const leader = first.role(partition).leader()?.member;
    const next = leader === 'worker-1' ? 'worker-2' : 'worker-1';
    await large.group.elect(next, partition);
    await expect.poll(() => leaderIn(reading.state, partition)).toBe(next);
  }
  await expect.poll(() => reading.restingSizes.length).toBeGreaterThan(3);
  const seconds = (performance.now() - beganMs) / 1000;
  const bytes = reading.bytes - whole;
  const perChange = (bytes - seconds * bytesAtRestMax) / reading.changes;
  expect(reading.changes).toBeGreaterThanOrEqual(changes);
  expect(perChange).toBeLessThan(bytesPerChangeMax);
  expect(Math.max(...reading.restingSizes)).toBeLessThan(bytesAtRestMax);
});
