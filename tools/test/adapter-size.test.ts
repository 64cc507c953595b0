import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/**
 * The adapters over a server with rows, and the lines of code that each may have, without imports,
 * comments and blank lines. Core has all that they share, so what is left is about one server only: on Postgres
 * `fence`, the keys that it rests on, and the plans that connections keep, on MySQL `fence` and its own
 * connection, on Redis two clients, its settings and the script that keeps the positions of readers, on
 * etcd the gateway, which sends changes to one cluster only, its authentication and its certificates, and a
 * transaction for each exchange, on Kubernetes the objects, what they show to people, the watch, and the
 * rights, on NATS the consumer, the settings of the bucket, and the login.
 */
const linesMax = { postgres: 785, mysql: 600, redis: 737, etcd: 745, kubernetes: 600, nats: 600 };

/** Returns the lines of TypeScript that are neither blank nor only a comment or an import. */
function linesOfCode(text: string): number {
  const withoutBlocks = text
    .replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '')
    .replaceAll(/^import [^;]*;/gm, '');
  return withoutBlocks.split('\n').filter((line) => /^\s*(?!\/\/)\S/.test(line)).length;
}

describe('the size of an adapter', () => {
  it('counts neither imports, comments nor blank lines', () => {
    const text =
      "import {\n  b,\n} from 'a';\n" +
      '/** One. */\n\n// Two.\nconst one = 1; // Three.\n  /*\n   * Four.\n   */\n}\n';
    expect(linesOfCode(text)).toBe(2);
  });

  it.each(Object.entries(linesMax))('of %s is at most %i lines of code', async (name, max) => {
    const folder = fileURLToPath(new URL(`../../packages/${name}/src/`, import.meta.url));
    const files = (await readdir(folder, { recursive: true })).filter((one) => one.endsWith('.ts'));
    const texts = await Promise.all(files.map((file) => readFile(`${folder}${file}`, 'utf8')));
    const lines = texts.reduce((sum, text) => sum + linesOfCode(text), 0);
    expect(lines).toBeGreaterThan(0);
    expect(lines).toBeLessThanOrEqual(max);
  });
});
