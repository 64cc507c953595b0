import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The ports lie below the ephemeral range (Linux: from 32768), so an outgoing connection cannot
 * take one between restarts.
 */
const range = { from: 20_000, to: 32_000 };

/**
 * Returns distinct free ports of 127.0.0.1. The choice is random, so that concurrent callers rarely
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
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
