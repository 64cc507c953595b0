// Builds a program of bench/peers with Go, with the modules of its go.sum.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The path of the program, or the reason why it could not be built. */
export type GoProgram =
  | { readonly kind: 'built'; readonly path: string }
  | { readonly kind: 'missing'; readonly why: string };

/** The directory of the built programs. Git ignores it. */
const cache = fileURLToPath(
  new URL('../../../node_modules/.cache/leadership-bench/', import.meta.url),
);

/** Builds the program in this directory of bench/peers. Go skips the work if nothing has changed. */
export async function goProgram(name: string): Promise<GoProgram> {
  const path = `${cache}${name}-member`;
  await mkdir(cache, { recursive: true });
  try {
    await promisify(execFile)('go', ['build', '-buildvcs=false', '-o', path, '.'], {
      cwd: fileURLToPath(new URL(`../../peers/${name}/`, import.meta.url)),
      env: { ...process.env, CGO_ENABLED: '1' },
    });
    return { kind: 'built', path };
  } catch (error) {
    return { kind: 'missing', why: complaint(error) };
  }
}

function complaint(error: unknown): string {
  const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string };
  if (code === 'ENOENT') return 'Go is missing; install Go and a C compiler';
  const [line = ''] = stderr.split('\n').filter((text) => text !== '' && !text.startsWith('#'));
  return `the build failed: ${line || String(error)}`;
}
