// The faults of the servers of a cluster.
import { setTimeout as pause } from 'node:timers/promises';
import type { LocalServer } from '../backends/local-server.ts';
import type { EnvironmentFault, SoakEnvironment } from './environment.ts';

/** A server of a cluster, as faults control it. */
export interface FaultyServer
  extends Pick<LocalServer, 'kill' | 'stop' | 'start' | 'pause' | 'resume'> {
  /** Cuts it off from all members, until disposed. */
  cutOff?(): Disposable;
}

/**
 * Returns the faults of the servers, which last for up to five T. Each fault hits one server after the
 * other. `what`: how the report names a server.
 */
export function serverFaults(
  servers: readonly FaultyServer[],
  what = 'server',
): SoakEnvironment['environmentFaults'] {
  const to = (
    inject: (server: FaultyServer, awayMs: number) => Promise<void>,
  ): EnvironmentFault => {
    let times = 0;
    return async ({ rng, settings }) => {
      const server = servers[times % servers.length];
      times += 1;
      if (server) await inject(server, rng.between(0, 5) * settings.thresholdMs);
    };
  };
  const stopped = (how: 'kill' | 'stop'): EnvironmentFault =>
    to(async (server, awayMs) => {
      await server[how]();
      await pause(awayMs);
      await server.start();
    });
  return {
    [`${what} SIGKILL`]: stopped('kill'),
    [`${what} SIGSTOP`]: to(async (server, awayMs) => {
      server.pause();
      await pause(awayMs);
      server.resume();
    }),
    [`${what} shut down in order`]: stopped('stop'),
    ...(servers.every(({ cutOff }) => cutOff !== undefined) && {
      [`${what} cut off from all members`]: to(async (server, awayMs) => {
        const cut = server.cutOff?.();
        await pause(awayMs);
        cut?.[Symbol.dispose]();
      }),
    }),
  };
}
