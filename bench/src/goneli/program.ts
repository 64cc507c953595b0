// The goNELI member is built from bench/peers/goneli, with the modules of its go.sum. goNELI 0.4.3 pins a Kafka client of 2020,
// whose every fetch Kafka 4 refuses, so that nobody ever leads: the module raises it to the last of that line that works.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Where the program is, or why there is none. */
export type GoneliProgram = { readonly kind: 'built'; readonly path: string } | { readonly kind: 'missing'; readonly why: string };

/** What is measured, for whoever reads a figure. */
export const goneliRemark =
  'goNELI is 0.4.3 with confluent-kafka-go raised to 1.8.2, heartbeat.interval.ms a third of the session, the rest as it comes';

const sources = fileURLToPath(new URL('../../peers/goneli/', import.meta.url));
/** Not among the sources, and ignored by git. */
const cache = fileURLToPath(new URL('../../../node_modules/.cache/leadership-bench/', import.meta.url));

/** Builds the program; Go itself knows when there is nothing to do. */
export async function goneliProgram(): Promise<GoneliProgram> {
  const path = `${cache}goneli-member`;
  await mkdir(cache, { recursive: true });
  try {
    await promisify(execFile)('go', ['build', '-buildvcs=false', '-o', path, '.'], {
      cwd: sources,
      env: { ...process.env, CGO_ENABLED: '1' },
    });
    return { kind: 'built', path };
  } catch (error) {
    return { kind: 'missing', why: complaint(error) };
  }
}

function complaint(error: unknown): string {
  const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string };
  if (code === 'ENOENT') return 'Go is missing: install it, and a C compiler';
  const [line = ''] = stderr.split('\n').filter((text) => text !== '' && !text.startsWith('#'));
  return `it cannot be built: ${line || String(error)}`;
}
