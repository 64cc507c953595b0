import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type MemberEvent,
  spawnMember,
  termRecordsOf,
  violationsOf,
} from '@leadership/testkit/faults';
import { expect, test } from 'vitest';
import { createRecorder } from '../../src/soak/recorder.ts';

/**
 * T in milliseconds. Long enough that the block ends the term, not the delays of a starved machine.
 */
const thresholdMs = 1500;

/**
 * Blocks a leader until another member has taken over. Returns the rules that the events of both
 * violate.
 */
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
    // Twice the time that a fail-over takes. If it takes longer, the blocked member is awake again
    // and may lead itself.
    a.block(3 * thresholdMs);
    await b.until(({ kind }) => kind === 'acquired');
    await a.until(({ kind }) => kind === 'fenced');
    const events: readonly MemberEvent[] = [...a.events, ...b.events];
    return violationsOf(termRecordsOf(events)).map(({ rule }) => rule);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

test('the checks find two leaders if a source keeps a flag instead of reading the clock (H5)', async () => {
  expect(await breaksWith(new URL('flag-backend.mjs', import.meta.url).href)).toContain(
    'one-believer',
  );
});

test('the checks find nothing in the unmodified source (H5)', async () => {
  expect(await breaksWith(undefined)).toEqual([]);
});

test('a member that exits on an unhandled rejection is a failure, even if it is killed afterwards; a kill and a close are not', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-power-'));
  const recorder = createRecorder();
  const start = async (member: string, module?: string) => {
    const options = { member, partitions: 1, thresholdMs };
    const url = `file:${encodeURI(directory)}?group=power`;
    const started = await spawnMember({
      url,
      options,
      work: { kind: 'idle' },
      ...(module !== undefined && { module }),
    });
    recorder.began(started);
    return started;
  };
  try {
    await using failing = await start(
      'failing',
      new URL('rejecting-backend.mjs', import.meta.url).href,
    );
    await expect(failing.until(({ kind }) => kind === 'closed')).rejects.toThrow('exit code 1');
    await failing.kill();
    await using killed = await start('killed');
    await killed.kill();
    await using closed = await start('closed');
    await closed.close();
    expect(recorder.failures).toEqual([
      expect.stringMatching(
        /^failing: the member has ended \(exit code 1\).*rejection without a handler/s,
      ),
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
});
