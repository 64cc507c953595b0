import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { figures } from '../../src/soak/figures.ts';
import { usual } from '../../src/soak/settings.ts';
import { type SoakReport, soak } from '../../src/soak/soak.ts';

/** Soaks the file backend for so long, prints what came of it, and expects no promise broken. */
export async function expectExclusion(durationMs: number, seed: number): Promise<SoakReport> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-soak-'));
  try {
    process.stderr.write(`soak: seed ${seed}\n`);
    const report = await soak({ directory, durationMs, seed, ...usual }, (line) => process.stderr.write(`soak: ${line}\n`));
    process.stdout.write(`${figures(report)}\n`);
    expect(report.contradictions.map(({ sentence }) => sentence)).toEqual([]);
    return report;
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
