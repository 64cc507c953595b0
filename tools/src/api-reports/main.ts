// Writes the API reports of all packages that are imported into their etc/, one per public entry
// point. With `--check`, it compares the reports instead and changes nothing.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { publishedIn } from '../release/packages.ts';
import { type EntryPoint, entryPoints } from './entry-point.ts';
import { reporter, reportFolder } from './report.ts';

const root = resolve(import.meta.dirname, '../../..');
const check = process.argv.includes('--check');
const packages = publishedIn(root)
  .filter(({ manifest }) => manifest.bin === undefined)
  .map((one) => ({ folder: one.directory, entries: entryPoints(one) }));
const report = reporter(packages.flatMap(({ entries }) => entries));
for (const one of packages) inspect(one.folder, one.entries);

function inspect(folder: string, entries: readonly EntryPoint[]): void {
  mkdirSync(join(folder, reportFolder), { recursive: true });
  const differing = entries
    .filter((entry) => !report(folder, entry, check))
    .map((entry) => entry.report);
  const stale = readdirSync(join(folder, reportFolder)).filter(
    (file) => !entries.some((entry) => file === `${entry.report}.api.md`),
  );
  if (!check) for (const file of stale) rmSync(join(folder, reportFolder, file));
  const wrong = check ? [...differing, ...stale] : differing;
  if (wrong.length === 0) return;
  const advice = check
    ? ' If the change is intended, run `npm run api` and commit the reports with a changeset.'
    : '';
  process.stderr.write(
    `${basename(folder)}: the public API differs from the reports in ${reportFolder}/ (${wrong.join(', ')}).${advice}\n`,
  );
  process.exitCode = 1;
}
