import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@leadership/testkit/adapter';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closedMessage } from '../../src/connection/closed-message.ts';
import { patchCluster } from '../../src/kafkajs-patches/cluster.ts';
import { type Connection, clusterOf, connectionsIn } from '../support/kafkajs-internals.ts';

let server: Server;
let sockets: Socket[];
let lines: string[];
beforeEach(async () => {
  [sockets, lines] = [[], []];
  // Answers each question with its number, which stands behind its size, its kind and its version.
  server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.on('data', (bytes) =>
      socket.write(Buffer.concat([Buffer.from([0, 0, 0, 4]), bytes.subarray(8, 12)])),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

async function connected(): Promise<Connection> {
  const cluster = clusterOf((message) => lines.push(message));
  patchCluster(cluster, () => undefined);
  const address = server.address();
  const [connection] = await connectionsIn(
    cluster,
    typeof address === 'object' && address ? address.port : 0,
  );
  if (connection === undefined) throw new Error('no connection was found');
  await connection.connect();
  return connection;
}

/** An object that KafkaJS accepts as an encoder. */
const nothing = { buf: Buffer.alloc(0), buffer: Buffer.alloc(0) };

/** Sends a request, and the broker refuses it. */
async function refused(apiName: string): Promise<void> {
  const connection = await connected();
  const request = { apiKey: 3, apiVersion: 0, apiName, encode: () => Promise.resolve(nothing) };
  const response = {
    decode: () => Promise.resolve({}),
    parse: () => Promise.reject(new Error('no')),
  };
  await expect(connection.send({ request, response })).rejects.toThrow('no');
  await connection.disconnect();
}

describe('what KafkaJS logs as an error', () => {
  it.each(['Metadata', 'CreateTopics', 'DescribeConfigs', 'GroupCoordinator', 'Heartbeat'])(
    'excludes an error answer to %s',
    async (apiName) => {
      await refused(apiName);
      expect(lines).toEqual([]);
    },
  );

  it.each(['Produce', 'Fetch', 'DeleteRecords'])(
    "includes a broker's refusal of %s",
    async (apiName) => {
      await refused(apiName);
      expect(lines).toEqual([expect.stringMatching(`Response ${apiName}`)]);
    },
  );

  it('includes a broken socket, but not a socket that this side ended', async () => {
    const [own, broken] = [await connected(), await connected()];
    own.socket?.destroy(new Error(closedMessage));
    broken.socket?.destroy(new Error('cut'));
    await eventually('the broken socket is logged', () => lines.length > 0);
    expect(lines).toEqual(['Connection error: cut']);
  });
});
