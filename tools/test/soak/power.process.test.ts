import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contradictions, type MemberEvent, reignsOf, spawnMember } from '@leadership/testkit/faults';
import { expect, test } from 'vitest';

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
