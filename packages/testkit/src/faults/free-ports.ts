// Finds free ports for servers and members of tests.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The ports lie below the ephemeral range (Linux: from 32768), so an outgoing connection cannot
 * take one between restarts. `get-port` tries a range in order, so that concurrent processes
 * collide, and does not try UDP.
 */
const range = { from: 20_000, to: 32_000 };

/**
 * Returns distinct ports of 127.0.0.1 that are free for TCP and UDP. The choice is random, so that concurrent callers rarely
 * collide.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = range.from + Math.floor(Math.random() * (range.to - range.from));
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const socket = createSocket('udp4');
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
    socket.close();
  }
}
