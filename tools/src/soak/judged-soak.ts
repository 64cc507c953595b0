// The entry point of the soak tests of all backends.
import { randomInt } from 'node:crypto';
import type { SoakEnvironment } from './environment.ts';
import { figures } from './figures.ts';
import type { SoakSettings } from './settings.ts';
import { type SoakReport, soak } from './soak.ts';

/**
 * Runs one soak and prints its report. All backends use the same checks. `SOAK_SEED` repeats the
 * faults of an earlier run. `SOAK_MINUTES` (default 10) is the duration unless the settings contain
 * one.
 */
export async function judgedSoak(
  settings: Omit<SoakSettings, 'durationMs' | 'seed'> & Partial<Pick<SoakSettings, 'durationMs'>>,
  environment: SoakEnvironment,
): Promise<SoakReport> {
  const seed = Number(process.env['SOAK_SEED'] ?? randomInt(2 ** 31));
  const durationMs = Number(process.env['SOAK_MINUTES'] ?? 10) * 60_000;
  const log = (line: string): void => void process.stderr.write(`soak: ${line}\n`);
  log(`seed ${seed}`);
  const report = await soak({ durationMs, ...settings, seed }, environment, log);
  process.stdout.write(`${figures(report)}\n`);
  return report;
}
