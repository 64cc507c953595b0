import { expect } from 'vitest';
import { figures } from '../../src/soak/figures.ts';
import { fileGround } from '../../src/soak/file-ground.ts';
import { usual } from '../../src/soak/settings.ts';
import { type SoakReport, soak } from '../../src/soak/soak.ts';

/** Soaks the file backend for so long, prints what came of it, and expects no promise broken. */
export async function expectExclusion(durationMs: number, seed: number): Promise<SoakReport> {
  await using ground = await fileGround();
  process.stderr.write(`soak: seed ${seed}\n`);
  const report = await soak({ durationMs, seed, ...usual }, ground, (line) => process.stderr.write(`soak: ${line}\n`));
  process.stdout.write(`${figures(report)}\n`);
  expect(report.contradictions.map(({ sentence }) => sentence)).toEqual([]);
  return report;
}
