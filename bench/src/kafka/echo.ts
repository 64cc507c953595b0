import type { Child } from '@leadership/tools/processes';
import { startChild } from '@leadership/tools/processes';
import type { Environment } from './environment.ts';

/** The input of the echo process. */
export interface EchoInput {
  readonly brokers: readonly string[];
  readonly topic: string;
}

/** The messages of the echo process. */
export type EchoMessage =
  | { readonly kind: 'ready' }
  /** Milliseconds from before a record was sent until it was read back. */
  | { readonly kind: 'echoed'; readonly ms: number };

/** Measures round trips without any protocol. Disposing ends the process. */
export interface Echo extends AsyncDisposable {
  /**
   * Makes `count` round trips, one after the other. Resolves with the duration of each in
   * milliseconds.
   */
  roundTrips(count: number): Promise<readonly number[]>;
}

/**
 * Starts a process that produces records with the durability of a member's, and reads them back
 * with a long-polling fetch.
 */
export async function openEcho(environment: Environment): Promise<Echo> {
  const topic = await environment.topic('echo', 1);
  const child: Child<EchoMessage> = startChild(
    new URL('../programs/kafka-echo.js', import.meta.url),
    {
      input: { brokers: environment.brokers, topic },
    },
  );
  await child.next('ready');
  return {
    async roundTrips(count) {
      const trips: number[] = [];
      while (trips.length < count) {
        const echoed = child.next('echoed');
        child.send({});
        trips.push((await echoed).ms);
      }
      return trips;
    },
    [Symbol.asyncDispose]: () => child.kill(),
  };
}
