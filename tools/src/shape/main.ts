// Checks the contents of the packages as they are published: that `exports` names files that are in the
// tarball, in the format that they promise, and that the types of each entry point resolve.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { type Published, pack, publishedIn } from '../release/packages.ts';

/** Resolutions that find no ES module, of which the packages consist. */
const unsupported: readonly string[] = ['node10', 'node16-cjs'];

const root = resolve(import.meta.dirname, '../../..');
const folder = await mkdtemp(join(tmpdir(), 'leadership-shape-'));
try {
  const all = publishedIn(root);
  for (const { name, path } of await pack(all, folder)) {
    const tarball = new Uint8Array(await readFile(path));
    const complaints = [
      ...(await contentsOf(tarball)),
      ...(await typesOf(tarball, all.find(({ manifest }) => manifest.name === name)?.manifest)),
    ];
    for (const complaint of complaints) console.log(`${name}: ${complaint}`);
    if (complaints.length > 0) process.exitCode = 1;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function contentsOf(tarball: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: tarball.buffer } });
  return messages
    .filter(({ type }) => type === 'error')
    .map((message) => formatMessage(message, pkg) ?? message.code);
}

/** A command has no types, and neither has what one condition offers to this repository alone. */
async function typesOf(
  tarball: Uint8Array,
  { bin, exports = {} }: Partial<Published['manifest']> = {},
): Promise<readonly string[]> {
  if (bin !== undefined) return [];
  const untyped = Object.entries(exports).filter(
    ([, target]) => typeof target === 'string' || !('types' in target),
  );
  const analysis = await checkPackage(createPackageFromTarballData(tarball), {
    excludeEntrypoints: untyped.map(([path]) => path),
  });
  if (!analysis.types) return ['it has no types'];
  return analysis.problems
    .filter(
      (problem) => !('resolutionKind' in problem && unsupported.includes(problem.resolutionKind)),
    )
    .map((problem) => JSON.stringify(problem));
}
