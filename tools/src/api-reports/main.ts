// Writes the API reports of the package in the working directory into etc/, one per public entry
// point. With `--check`, it compares the reports instead and changes nothing.
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { entryPoints } from './entry-point.ts';
import { report, reportFolder } from './report.ts';

const folder = process.cwd();
const check = process.argv.includes('--check');
const entries = entryPoints(folder);
const differing = entries
  .filter((entry) => !report(folder, entry, check))
  .map((entry) => entry.report);
const stale = readdirSync(join(folder, reportFolder)).filter(
  (file) => !entries.some((entry) => file === `${entry.report}.api.md`),
);

if (!check) for (const file of stale) rmSync(join(folder, reportFolder, file));
const wrong = check ? [...differing, ...stale] : differing;
if (wrong.length > 0) {
  const advice = check
    ? ' If the change is intended, run `npm run api` and commit the reports with a changeset.'
    : '';
  process.stderr.write(
    `${basename(folder)}: the public API differs from the reports in ${reportFolder}/ (${wrong.join(', ')}).${advice}\n`,
  );
  process.exitCode = 1;
}
