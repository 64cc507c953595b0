import { once } from 'node:events';
import { connect } from 'node:net';
import { startChild } from '@leadership/tools/processes';

/** The message of the echo process. */
type Message = { readonly kind: 'listening'; readonly port: number };

/** A process that returns every byte that it receives over TCP. */
export interface Echo extends AsyncDisposable {
  /**
   * Makes `count` round trips, one after the other. Resolves with the duration of each in
   * milliseconds.
   */
  roundTrips(count: number): Promise<readonly number[]>;
}

/** The size of a request of the protocol, in bytes. */
const messageBytes = 96;

/** Starts the process and connects to it. */
export async function openEcho(): Promise<Echo> {
  const child = startChild<Message>(new URL('../programs/tcp-echo.js', import.meta.url), {
    input: {},
  });
  const { port } = await child.next('listening');
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  const trip = async (): Promise<number> => {
    const began = performance.now();
    socket.write(Buffer.alloc(messageBytes));
    for (let received = 0; received < messageBytes; )
      received += ((await once(socket, 'data')) as [Buffer])[0].length;
    return performance.now() - began;
  };
  return {
    async roundTrips(count) {
      const trips: number[] = [];
      for (let one = 0; one < count; one += 1) trips.push(await trip());
      return trips;
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await child.kill();
    },
  };
}
