import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections (Linux: from 32768): none of those can take one of ours between two lives. */
const range = { from: 20_000, to: 32_000 };

/** So many members, by name, each with an address on this host that nobody listens at. */
export async function placesFor(count: number): Promise<Readonly<Record<string, string>>> {
  const places: Record<string, string> = {};
  for (let member = 1; member <= count; member += 1) places[`m${member}`] = `127.0.0.1:${await freePort(Object.values(places))}`;
  return places;
}

async function freePort(taken: readonly string[]): Promise<number> {
  for (;;) {
    const port = range.from + Math.floor(Math.random() * (range.to - range.from));
    if (!taken.includes(`127.0.0.1:${port}`) && (await isFree(port))) return port;
  }
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
