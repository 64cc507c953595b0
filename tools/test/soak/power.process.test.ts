import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contradictions, type MemberEvent, reignsOf, spawnMember } from '@leadership/testkit/faults';
import { expect, test } from 'vitest';
import { chronicle } from '../../src/soak/chronicle.ts';

/** Long enough that a starved machine does not end the term before the block does. Milliseconds. */
const thresholdMs = 1500;

/** Blocks a leader until another has taken over, and says what the history of both was found to break. */
async function breaksWith(module: string | undefined): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-power-'));
  const start = (member: string) =>
    spawnMember({
      url: `file:${encodeURI(directory)}?group=power`,
      options: { member, partitions: 1, thresholdMs },
      work: { kind: 'idle' },
      ...(module !== undefined && { module }),
    });
  try {
    await using a = await start('a');
    await a.until(({ kind }) => kind === 'acquired');
    await using b = await start('b');
    await b.until(({ kind }) => kind === 'ready');
    // Twice what a take-over takes: where it takes longer, the one that was blocked is awake, and may lead again itself.
    a.block(3 * thresholdMs);
    await b.until(({ kind }) => kind === 'acquired');
    await a.until(({ kind }) => kind === 'fenced');
    const events: readonly MemberEvent[] = [...a.events, ...b.events];
    return contradictions(reignsOf(events)).map(({ rule }) => rule);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

test('a source that keeps a flag instead of looking at the clock is caught believing beside another (H5)', async () => {
  expect(await breaksWith(new URL('flag-backend.mjs', import.meta.url).href)).toContain('one-believer');
});

test('the source as it is stands the same (H5)', async () => {
  expect(await breaksWith(undefined)).toEqual([]);
});

test('a member that ends by an unhandled rejection is a failure, also where it is killed before anyone asks; others are none', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-power-'));
  const told = chronicle();
  const start = async (member: string, module?: string) => {
    const options = { member, partitions: 1, thresholdMs };
    const url = `file:${encodeURI(directory)}?group=power`;
    const started = await spawnMember({ url, options, work: { kind: 'idle' }, ...(module !== undefined && { module }) });
    told.began(started);
    return started;
  };
  try {
    await using failing = await start('failing', new URL('rejecting-backend.mjs', import.meta.url).href);
    await expect(failing.until(({ kind }) => kind === 'closed')).rejects.toThrow('exit code 1');
    await failing.kill();
    await using killed = await start('killed');
    await killed.kill();
    await using closed = await start('closed');
    await closed.close();
    expect(told.failures).toEqual([expect.stringMatching(/^failing: the member has ended \(exit code 1\).*nobody handles this/s)]);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
});
