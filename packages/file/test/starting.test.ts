import { rename, rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { tempDirectory } from './support/temp-directory.ts';

/** Long enough for a deletion to hit each step of a start. Milliseconds. */
const durationMs = 4000;

it('a starting member is not refused if the group’s directory is deleted at that moment', async () => {
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
      const source = fileLeadership({
        directory: home.path,
        group: 'g',
        thresholdMs: 100,
        partitions: 2,
      });
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
