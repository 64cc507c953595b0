import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';

/** Bytes that no member sends: noise, a length above the limit, and half a frame. */
const pieces: readonly Buffer[] = [
  randomBytes(64),
  randomBytes(1200),
  Buffer.from([0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0, 0, 0, 40, 1, 2, 3]),
  Buffer.alloc(0),
];

/** Sends them to each of the ports, in datagrams and over connections. */
export async function putGarbage(ports: readonly (number | undefined)[]): Promise<void> {
  for (const port of ports.filter((one) => one !== undefined))
    for (const piece of pieces) {
      const datagrams = createSocket('udp4');
      await new Promise<void>((sent) => datagrams.send(piece, port, '127.0.0.1', () => sent()));
      datagrams.close();
      const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
      socket.end(piece);
      await once(socket, 'close');
    }
}
