// Builds the goNELI member from bench/peers/goneli, with the modules of its go.sum. goNELI 0.4.3 pins
// a Kafka client from 2020 whose fetches Kafka 4 rejects, so no member would ever lead. The module
// therefore requires confluent-kafka-go 1.8.2, the latest 1.x version that works.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The path of the program, or the reason why it could not be built. */
export type GoneliProgram =
  | { readonly kind: 'built'; readonly path: string }
  | { readonly kind: 'missing'; readonly why: string };

/** A remark about the versions and settings of goNELI. */
export const goneliRemark =
  'goNELI is 0.4.3 with confluent-kafka-go raised to 1.8.2, heartbeat.interval.ms a third of the session, other settings at their defaults';

const sources = fileURLToPath(new URL('../../peers/goneli/', import.meta.url));
/** The directory of the built program. Git ignores it. */
const cache = fileURLToPath(
  new URL('../../../node_modules/.cache/leadership-bench/', import.meta.url),
);

/** Builds the program. Go skips the work if nothing has changed. */
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
  if (code === 'ENOENT') return 'Go is missing; install Go and a C compiler';
  const [line = ''] = stderr.split('\n').filter((text) => text !== '' && !text.startsWith('#'));
  return `the build failed: ${line || String(error)}`;
}
