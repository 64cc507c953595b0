// Backends in containers, by testcontainers. They are used, and the library is loaded, only if
// `BACKENDS_BY=containers` is set. A container engine that happens to run on this machine is
// therefore never used without a request.
import type { StartedTestContainer } from 'testcontainers';
import type { NamedServer } from './given-server.ts';
import { isOffered } from './is-offered.ts';

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

/** The server in a container. */
export interface ContainerOptions {
  /** The variable of the environment that names another image. */
  readonly variable: string;
  readonly image: string;
  /** The port of the server inside the container. */
  readonly port: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** The line that the server prints when it serves clients. */
  readonly ready: RegExp;
  /** How often it prints that line before it keeps running. Default 1. */
  readonly times?: number;
}

/** Starts a server in a container. It cannot be killed or stopped by tests. */
export async function serverInContainer(options: ContainerOptions): Promise<NamedServer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const image = process.env[options.variable] || options.image;
  const container = new GenericContainer(image)
    .withEnvironment({ ...options.environment })
    .withExposedPorts(options.port)
    .withWaitStrategy(Wait.forLogMessage(options.ready, options.times));
  const started = await startContainer(container, undefined);
  return {
    name: `${image} in a container`,
    host: started.getHost(),
    port: started.getMappedPort(options.port),
    async [Symbol.asyncDispose]() {
      await started.stop();
    },
  };
}

/**
 * Resolves with whether a server can be used: the one that the environment names, one in a
 * container, or one of this host.
 */
export async function hasServer(
  backend: string,
  isGiven: boolean,
  hasLocal: () => Promise<boolean>,
): Promise<boolean> {
  if (isGiven) return true;
  return byContainers() ? isOffered(backend, await missingEngine()) : hasLocal();
}
