// Backends in containers, by testcontainers: only where `BACKENDS_BY=containers` asks for them, and loaded only there. A container engine that
// runs on this machine for something else starts nothing.
import type { StartedTestContainer } from 'testcontainers';

/**
 * Whether the environment asks for backends in containers.
 * @throws Error where `BACKENDS_BY` has another value
 */
export function byContainers(): boolean {
  const asked = process.env['BACKENDS_BY'];
  if (!asked || asked === 'containers') return asked === 'containers';
  throw new Error(`BACKENDS_BY is ${JSON.stringify(asked)}: the only value is "containers"; unset it for backends that are processes`);
}

/** Why no container can be started here; undefined where an engine answers. */
export async function missingEngine(): Promise<string | undefined> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient().then(
    () => undefined,
    (error: Error) => `no container engine answers (${error.message}): start one, or let DOCKER_HOST name it`,
  );
}

/** Starts a container. One that was called off while it started is removed, and the promise rejects with the signal's reason. */
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
