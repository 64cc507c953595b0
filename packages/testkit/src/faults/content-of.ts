// Compares what files a test has left.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns everything below a directory as text, so that equal contents can be found. */
export async function contentOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const texts = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return `${path.slice(directory.length)} ${entry.isFile() ? await readFile(path, 'utf8') : '/'}`;
  });
  return (await Promise.all(texts)).sort().join('\n');
}
