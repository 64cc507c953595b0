// The faults of the servers of a cluster.
import { setTimeout as pause } from 'node:timers/promises';
import type { EnvironmentFault, SoakEnvironment } from './environment.ts';

/** A server of a cluster, as faults control it. */
export interface FaultyServer {
  /** Kills the server (SIGKILL), or stops it in order. */
  stop(how: 'kill' | 'fast'): Promise<void>;
  /** Starts it again. Resolves once it serves clients. */
  start(): Promise<void>;
  /** Stops or continues the process (SIGSTOP, SIGCONT). */
  pause(isPaused: boolean): void;
}

/** Returns the faults of one random server at a time, which lasts for up to five T. */
export function serverFaults(
  servers: readonly FaultyServer[],
): SoakEnvironment['environmentFaults'] {
  const to =
    (inject: (server: FaultyServer, awayMs: number) => Promise<void>): EnvironmentFault =>
    ({ rng, settings }) =>
      inject(rng.pick(servers), rng.between(0, 5) * settings.thresholdMs);
  const stopped = (how: 'kill' | 'fast'): EnvironmentFault =>
    to(async (server, awayMs) => {
      await server.stop(how);
      await pause(awayMs);
      await server.start();
    });
  return {
    'server SIGKILL': stopped('kill'),
    'server SIGSTOP': to(async (server, awayMs) => {
      server.pause(true);
      await pause(awayMs);
      server.pause(false);
    }),
    'server shut down in order': stopped('fast'),
  };
}
