import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

/** What no member says: noise, a frame that is announced as longer than any is, and one that is cut in half. */
const pieces: readonly Buffer[] = [randomBytes(64), Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.from([0, 0, 0, 40, 1, 2, 3])];

/** Says it to whoever listens there. */
export async function putGarbage(ports: readonly (number | undefined)[]): Promise<void> {
  for (const port of ports.filter((one) => one !== undefined)) {
    for (const piece of pieces) {
      const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
      socket.end(piece);
      await once(socket, 'close');
    }
  }
}
