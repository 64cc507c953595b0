import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Bytes that no member sends: noise, a frame whose announced length exceeds the limit, and half a
 * frame.
 */
const pieces: readonly Buffer[] = [
  randomBytes(64),
  Buffer.from([0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0, 0, 0, 40, 1, 2, 3]),
];

/** Sends them to each of the ports. */
export async function putGarbage(ports: readonly (number | undefined)[]): Promise<void> {
  for (const port of ports.filter((one) => one !== undefined)) {
    for (const piece of pieces) {
      const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
      socket.end(piece);
      await once(socket, 'close');
    }
  }
}
