// Bundles one package with rolldown. `main.ts` calls it for each.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type OutputAsset, type OutputChunk, type Plugin, rolldown } from 'rolldown';

/**
 * Bundles modules of a package's `dist`, such as `internal/engine`, into its `lib`. All programs are
 * at the top of it, where code that starts them finds them beside itself. Files that would not
 * change are not written, because processes may be loading them.
 */
export async function bundle(directory: string, modules: readonly string[]): Promise<void> {
  const entries = modules.map((name) => [isProgram(name) ? basename(name) : name, name] as const);
  await using built = await rolldown({
    input: Object.fromEntries(
      entries.map(([target, name]) => [target, join(directory, 'dist', `${name}.js`)]),
    ),
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    platform: 'node',
    plugins: [mapsOfCompiler],
    // No module does anything but define what it exports, as `sideEffects` in package.json says.
    treeshake: { moduleSideEffects: false },
    // On a busy machine, it would print how long each plugin took.
    checks: { pluginTimings: false },
  });
  const { output } = await built.generate({
    dir: join(directory, 'lib'),
    format: 'esm',
    sourcemap: true,
    // Comments are in the sources and in the declarations.
    comments: false,
    chunkFileNames: '[name].js',
    // Without external libraries that are optional, one chunk for all is as good as many.
    ...(basename(directory) === 'core' && {
      codeSplitting: { groups: [{ name: 'core', test: /./ }] },
    }),
  });
  await write(join(directory, 'lib'), output);
}

/** Entry points of one folder are in folders as in the URL of an import. */
function isProgram(name: string): boolean {
  return name.includes('/') && !name.startsWith('internal/');
}

/** Passes the source maps of the compiler on, so that positions are those of the TypeScript files. */
const mapsOfCompiler: Plugin = {
  name: 'maps-of-compiler',
  async load(id) {
    const [code, map] = await Promise.all([
      readFile(id, 'utf8'),
      readFile(`${id}.map`, 'utf8').catch(() => undefined),
    ]);
    return map === undefined ? code : { code, map };
  },
};

async function write(
  folder: string,
  output: readonly (OutputChunk | OutputAsset)[],
): Promise<void> {
  const files = new Map(
    output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)]),
  );
  await mkdir(folder, { recursive: true });
  await Promise.all([...files].map(([name, text]) => writeChanged(join(folder, name), text)));
  const old = await readdir(folder, { recursive: true, withFileTypes: true });
  const stale = old
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !files.has(path.slice(folder.length + 1)));
  await Promise.all(stale.map((path) => rm(path)));
}

async function writeChanged(path: string, text: string): Promise<void> {
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before === text) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
