import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections (Linux: from 32768): none of those can take one of ours between two lives. */
const range = { from: 20_000, to: 32_000 };

/** So many different ports of 127.0.0.1 that nobody listens at now. Chosen at random, so that two that choose at once seldom meet. */
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
