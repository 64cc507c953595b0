import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a command of Docker's own client, which knows where its engine is. Resolves with what it prints. */
export async function docker(args: readonly string[], signal?: AbortSignal): Promise<string> {
  return (await promisify(execFile)('docker', args, { signal })).stdout.trim();
}

/** Whether an engine answers. */
export async function dockerAnswers(): Promise<boolean> {
  return docker(['version', '--format', '{{.Server.Version}}']).then(
    () => true,
    () => false,
  );
}

/** Makes sure that the image is there. Fetches it where it must, and says so on stderr. */
export async function haveImage(image: string, signal?: AbortSignal): Promise<void> {
  const found = await docker(['image', 'inspect', '--format', '{{.Id}}', image], signal).catch(() => undefined);
  signal?.throwIfAborted();
  if (found !== undefined) return;
  process.stderr.write(`leadership: fetching the image ${image} with Docker, once: a minute or so …\n`);
  await docker(['pull', '--quiet', image], signal);
}
