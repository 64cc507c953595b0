import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@leadership/testkit/adapter';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { patchCluster } from '../../src/kafkajs-patches/cluster.ts';
import { type Connection, clusterOf, connectionsIn } from '../support/kafkajs-internals.ts';

let server: Server;
let sockets: Socket[];
beforeEach(async () => {
  sockets = [];
  server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** A connection to the server, and the numbers of the questions that were answered by it. */
async function connected(): Promise<{
  readonly connection: Connection;
  readonly answered: number[];
}> {
  const cluster = clusterOf();
  patchCluster(cluster, () => undefined);
  const address = server.address();
  const [connection] = await connectionsIn(
    cluster,
    typeof address === 'object' && address ? address.port : 0,
  );
  if (connection === undefined) throw new Error('no connection was found');
  const answered: number[] = [];
  vi.spyOn(connection.requestQueue, 'fulfillRequest').mockImplementation(
    ({ correlationId }) => void answered.push(correlationId),
  );
  return { connection, answered };
}

/** An answer to that question, which says nothing: its size and its number. */
function answerTo(correlationId: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(4, 0);
  bytes.writeInt32BE(correlationId, 4);
  return bytes;
}

function nth(count: number): Promise<Socket> {
  return eventually('the server is reached', () => sockets[count]);
}

describe('a connection of KafkaJS that connects again', () => {
  it('drops a partial answer from before the interruption', async () => {
    const { connection, answered } = await connected();
    await connection.connect();
    const first = await nth(0);
    first.write(answerTo(1));
    first.end(answerTo(2).subarray(0, 6));
    await eventually('it is read', () => answered.length === 1 && connection.socket?.readableEnded);
    await connection.disconnect();
    await connection.connect();
    (await nth(1)).write(answerTo(3));
    await eventually('the next answer arrives', () => answered.includes(3));
    expect(answered).toEqual([1, 3]);
    await connection.disconnect();
  });

  it('opens one socket for concurrent connects', async () => {
    const { connection } = await connected();
    await Promise.all([connection.connect(), connection.connect(), connection.connect()]);
    await connection.connect();
    await nth(0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sockets).toHaveLength(1);
    await connection.disconnect();
  });

  it('ignores the data of its last socket', async () => {
    const { connection, answered } = await connected();
    await connection.connect();
    const first = await nth(0);
    // It ends its half: the broker may go on to answer.
    await connection.disconnect();
    await connection.connect();
    const second = await nth(1);
    first.write(answerTo(1).subarray(0, 6));
    await new Promise((resolve) => setTimeout(resolve, 20));
    second.write(answerTo(2));
    await eventually('the next answer arrives', () => answered.length > 0);
    expect(answered).toEqual([2]);
    await connection.disconnect();
  });

  it('leaves no listener on a closed socket after repeated disconnects', async () => {
    const { connection } = await connected();
    await connection.connect();
    (await nth(0)).destroy();
    await eventually('the socket has closed', () => connection.socket?.destroyed);
    const before = connection.socket?.listenerCount('connect');
    for (let times = 0; times < 11; times += 1) await connection.disconnect();
    expect(connection.socket?.listenerCount('connect')).toBe(before);
  });
});
