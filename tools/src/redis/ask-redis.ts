// Sends a command to Redis for tests, without a client library.
import { connect } from 'node:net';

/** How long a server may take to answer. Milliseconds. */
const timeoutMs = 10_000;

/**
 * Sends one command to a server of this host, over a connection of its own. Resolves with the first
 * line of the reply and what follows, as text; rejects if it is an error.
 */
export async function askRedis(port: number, ...command: readonly string[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('Redis does not answer')));
    const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
    socket.write(`*${command.length}\r\n${parts.join('')}`);
    let reply = '';
    for await (const chunk of socket) {
      reply += String(chunk);
      if (isComplete(reply)) break;
    }
    // A server that is killed may end the connection without an error.
    if (!isComplete(reply)) throw new Error('Redis has ended the connection without a reply');
    if (reply.startsWith('-')) throw new Error(`${command.join(' ')}: ${reply.slice(1).trim()}`);
    return reply;
  } finally {
    socket.destroy();
  }
}

/** Whether a simple or bulk reply has arrived as a whole. No other kind is expected here. */
function isComplete(reply: string): boolean {
  const end = reply.indexOf('\r\n');
  if (end < 0) return false;
  const size = Number(/^\$(\d+)/.exec(reply)?.[1] ?? 0);
  return size === 0 || Buffer.byteLength(reply) >= end + 2 + size + 2;
}
