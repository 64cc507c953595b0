// Reserves ports for servers and members of tests.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

/** The ports that this host's processes share, in blocks. */
const rangeSize = 12_000;
/** The first port of a block is the lock of the others. */
const blockSize = 50;
/** The blocks of a process: after the last, it uses the ports of the first again. */
const mostBlocks = 6;
/** Where outgoing connections begin by default on Linux, rounded down. Other systems begin higher. */
const defaultEnd = 32_000;

/**
 * Returns distinct ports of 127.0.0.1 that are free for TCP and UDP. No other process gets one of
 * them while this one runs, and no outgoing connection does, so a server can be restarted on its
 * port. `get-port` reserves within a process only, and does not try UDP.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const free = new Set<number>();
  while (free.size < count) {
    const { value: port } = await own.next();
    if (await isFree(port)) free.add(port);
  }
  return [...free];
}

/** The ports of the blocks of this process. */
const own = ownPorts();

async function* ownPorts(): AsyncGenerator<number, never> {
  const blocks: number[] = [];
  for (let turn = 0; ; turn += 1) {
    if (turn < mostBlocks) blocks.push(await reservedBlock());
    const first = blocks[turn % mostBlocks] ?? 0;
    for (let port = first + 1; port < first + blockSize; port += 1) yield port;
  }
}

/**
 * Resolves with the first port of a block, on which this process then listens. Unlike a lock file,
 * the listener cannot outlive the process. If no block is left, the process shares one.
 */
async function reservedBlock(): Promise<number> {
  const [from, count] = [rangeStart(), rangeSize / blockSize];
  const start = Math.floor(Math.random() * count);
  for (let tried = 0; tried < count; tried += 1) {
    const first = from + ((start + tried) % count) * blockSize;
    const lock = await listener(first);
    lock?.unref();
    if (lock !== undefined) return first;
  }
  return from + start * blockSize;
}

/** Returns the first port of the range, which ends where the ports of outgoing connections begin. */
function rangeStart(): number {
  let firstOutgoing = defaultEnd;
  try {
    firstOutgoing = Number.parseInt(
      readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'),
      10,
    );
  } catch {
    // Only Linux has this file.
  }
  const start = Math.min(firstOutgoing, defaultEnd) - rangeSize;
  // Where too few ports are left below, outgoing connections can take ports of any range.
  return start < 1024 ? defaultEnd - rangeSize : start;
}

/** Resolves with a server that listens on the port, `undefined` if the port is in use. */
async function listener(port: number): Promise<Server | undefined> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = await listener(port);
  if (server === undefined) return false;
  const socket = createSocket('udp4');
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
    server.close();
  }
}
