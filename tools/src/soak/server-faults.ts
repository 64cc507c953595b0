// The faults of the servers of a cluster.
import { setTimeout as pause } from 'node:timers/promises';
import type { EnvironmentFault, SoakEnvironment } from './environment.ts';

/** A server of a cluster, as faults control it. */
export interface FaultyServer {
  kill(): Promise<void>;
  /** Shuts it down in order. */
  stop(): Promise<void>;
  /** Starts it again. Resolves once it serves clients. */
  start(): Promise<void>;
  /** Sends SIGSTOP. */
  pause(): void;
  /** Sends SIGCONT. */
  resume(): void;
}

/**
 * Returns the faults of one random server at a time, which lasts for up to five T. `what`: how the report
 * names a server.
 */
export function serverFaults(
  servers: readonly FaultyServer[],
  what = 'server',
): SoakEnvironment['environmentFaults'] {
  const to =
    (inject: (server: FaultyServer, awayMs: number) => Promise<void>): EnvironmentFault =>
    ({ rng, settings }) =>
      inject(rng.pick(servers), rng.between(0, 5) * settings.thresholdMs);
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
  };
}
