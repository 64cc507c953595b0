import type { Child } from '../process/child.ts';
import { startChild } from '../process/child.ts';
import type { Ground } from './ground.ts';

/** How the echo's process is started. */
export interface EchoInput {
  readonly brokers: readonly string[];
  readonly topic: string;
}

/** What it says. */
export type EchoTold =
  | { readonly kind: 'ready' }
  /** From before a record was sent until it was read back. Milliseconds. */
  | { readonly kind: 'echoed'; readonly ms: number };

/** One round trip after the other, without any protocol. Disposing ends it. */
export interface Echo extends AsyncDisposable {
  /** So many of them. Milliseconds each. */
  roundTrips(count: number): Promise<readonly number[]>;
}

/** A process that produces a record, as durably as the members do, and reads it by a fetch that waits. */
export async function openEcho(ground: Ground): Promise<Echo> {
  const topic = await ground.topic('echo', 1);
  const child: Child<EchoTold> = startChild(new URL('../programs/kafka-echo.js', import.meta.url), {
    input: { brokers: ground.brokers, topic },
  });
  await child.next('ready');
  return {
    async roundTrips(count) {
      const trips: number[] = [];
      while (trips.length < count) {
        const echoed = child.next('echoed');
        child.tell({});
        trips.push((await echoed).ms);
      }
      return trips;
    },
    [Symbol.asyncDispose]: () => child.kill(),
  };
}
