// Backends in containers, by testcontainers. They are used, and the library is loaded, only if
// `BACKENDS_BY=containers` is set. A container engine that happens to run on this machine is
// therefore never used without a request.
import type { StartedTestContainer } from 'testcontainers';

/**
 * Returns whether the environment requests backends in containers.
 * @throws Error if `BACKENDS_BY` has an unknown value
 */
export function byContainers(): boolean {
  const asked = process.env['BACKENDS_BY'];
  if (!asked || asked === 'containers') return asked === 'containers';
  throw new Error(
    `BACKENDS_BY is ${JSON.stringify(asked)}: the only value is "containers"; unset it to start backends as processes`,
  );
}

/**
 * Resolves with the reason why no container can be started, or `undefined` if a container engine
 * responds.
 */
export async function missingEngine(): Promise<string | undefined> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient().then(
    () => undefined,
    (error: Error) =>
      `no container engine responds (${error.message}): start one, or set DOCKER_HOST to its address`,
  );
}

/**
 * Starts a container. If the signal aborts meanwhile, removes the container and rejects with the
 * signal's reason.
 */
export async function startContainer<Started extends StartedTestContainer>(
  container: { start(): Promise<Started> },
  signal: AbortSignal | undefined,
): Promise<Started> {
  signal?.throwIfAborted();
  const started = await container.start();
  if (signal?.aborted) await started.stop();
  signal?.throwIfAborted();
  return started;
}
