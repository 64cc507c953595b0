import { rename, rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { tempDirectory } from './support/temp-directory.ts';

/** Enough for starts to meet a deletion at every step of the way. Milliseconds. */
const durationMs = 4000;

it('a member that starts is not refused because somebody deletes the group’s directory at that very moment', async () => {
  await using home = await tempDirectory();
  const outcomes: string[] = [];
  const since = performance.now();
  const isOver = (): boolean => performance.now() - since > durationMs;
  const deleting = async (): Promise<void> => {
    for (let count = 0; !isOver(); count += 1) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() ** 3 * 40));
      const aside = `${home.path}/deleted.${count}`;
      await rename(`${home.path}/g`, aside).catch(() => undefined);
      await rm(aside, { recursive: true, force: true }).catch(() => undefined);
    }
  };
  const starting = async (): Promise<void> => {
    while (!isOver()) {
      const source = fileLeadership({ directory: home.path, group: 'g', thresholdMs: 100, partitions: 2 });
      await source.ready().then(
        () => outcomes.push('ready'),
        (error: Error) => outcomes.push(error.message),
      );
      await source.close({ signal: AbortSignal.abort() });
    }
  };
  await Promise.all([deleting(), ...Array.from({ length: 4 }, starting)]);
  expect(new Set(outcomes)).toEqual(new Set(['ready']));
});
