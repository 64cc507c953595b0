// Bundles what the compiler has written (`packages/*/dist`) into the files that are published
// (`packages/*/lib`): one for each entry point and each program, and what several of them share. A
// process that imports core reads two files instead of two hundred. Dependencies stay outside.
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { bundle } from './bundle.ts';

/** Programs that are no entry points: others start them in a process or a thread. */
const programs: Readonly<Record<string, readonly string[]>> = {
  cli: ['run/watchdog'],
  file: ['disk/disk-thread'],
  testkit: ['processes/member-program', 'voters/voter-program'],
};

const home = resolve(import.meta.dirname, '../../../packages');
const names = await readdir(home);
await Promise.all(names.map((name) => bundleOf(name)));

async function bundleOf(name: string): Promise<void> {
  const directory = resolve(home, name);
  const manifest = JSON.parse(await readFile(resolve(directory, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
    readonly bin?: Readonly<Record<string, string>>;
  };
  const exported = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry['default'] ?? entry['@leadership/internal'] ?? ''],
  );
  const published = [...exported, ...Object.values(manifest.bin ?? {})];
  await bundle(directory, [
    ...published.map((path) => path.replace(/^\.\/lib\/|\.js$/g, '')),
    ...(programs[name] ?? []),
  ]);
}
