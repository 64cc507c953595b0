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

/** Whether the image is there already. */
export async function hasImage(image: string, signal?: AbortSignal): Promise<boolean> {
  const found = await docker(['image', 'inspect', '--format', '{{.Id}}', image], signal).catch(() => undefined);
  signal?.throwIfAborted();
  return found !== undefined;
}

/** Makes sure that the image is there. Fetches it where it must, and says so on stderr. */
export async function haveImage(image: string, signal?: AbortSignal): Promise<void> {
  if (await hasImage(image, signal)) return;
  process.stderr.write(`leadership: fetching the image ${image} with Docker, once: a minute or so …\n`);
  await docker(['pull', '--quiet', image], signal);
}
