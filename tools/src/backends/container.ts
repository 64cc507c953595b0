import { randomUUID } from 'node:crypto';
import { docker } from './docker.ts';
import { lastWill } from './last-will.ts';

/** A container, which is there until it is disposed or this process has died, whichever comes first. */
export interface Container extends AsyncDisposable {
  /** What it said last. */
  logs(): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts that image with these options of `docker run`, and waits until it serves. Where it does not, nothing is left of it. */
export async function startContainer(
  service: string,
  image: string,
  options: readonly string[],
  serving: (container: Container) => Promise<void>,
): Promise<Container> {
  const name = `leadership-${service}-${randomUUID()}`;
  const will = lastWill('docker rm --force --volumes "$0"', name);
  const container: Container = {
    logs: () => docker(['logs', '--tail', '40', name]),
    async [Symbol.asyncDispose]() {
      await docker(['rm', '--force', '--volumes', name]);
      will[Symbol.dispose]();
    },
  };
  try {
    // Not to be called off half way: it would not be known whether there is a container.
    await docker(['run', '--detach', '--name', name, ...options, image]);
    await serving(container);
    return container;
  } catch (error) {
    // Why it failed says more than that it could not be removed either, which is left to the last will.
    await container[Symbol.asyncDispose]().catch(() => undefined);
    throw error;
  }
}
