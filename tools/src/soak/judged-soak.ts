import { randomInt } from 'node:crypto';
import { figures } from './figures.ts';
import type { Ground } from './ground.ts';
import type { SoakSettings } from './settings.ts';
import { type SoakReport, soak } from './soak.ts';

/**
 * Runs one soak and prints its figures: every backend is judged by this. `SOAK_SEED` repeats the faults of an earlier run, and `SOAK_MINUTES`
 * (default 10) is how long it lasts unless the settings say it.
 */
export async function judgedSoak(
  settings: Omit<SoakSettings, 'durationMs' | 'seed'> & Partial<Pick<SoakSettings, 'durationMs'>>,
  ground: Ground,
): Promise<SoakReport> {
  const seed = Number(process.env['SOAK_SEED'] ?? randomInt(2 ** 31));
  const durationMs = Number(process.env['SOAK_MINUTES'] ?? 10) * 60_000;
  const tell = (line: string): void => void process.stderr.write(`soak: ${line}\n`);
  tell(`seed ${seed}`);
  const report = await soak({ durationMs, ...settings, seed }, ground, tell);
  process.stdout.write(`${figures(report)}\n`);
  return report;
}
