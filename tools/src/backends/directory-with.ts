// Finds the installed programs of a server, such as Postgres, for tests.
import { access } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Resolves with the first directory of the path, or else of `more`, that contains all of these
 * programs; `undefined` if there is none.
 */
export async function directoryWith(
  programs: readonly string[],
  more: readonly string[] = [],
): Promise<string | undefined> {
  const onPath = (process.env['PATH'] ?? '').split(':').filter(Boolean);
  for (const directory of [...onPath, ...more]) {
    const found = programs.map((program) => access(join(directory, program)));
    const areThere = await Promise.all(found).then(
      () => true,
      () => false,
    );
    if (areThere) return directory;
  }
  return undefined;
}
