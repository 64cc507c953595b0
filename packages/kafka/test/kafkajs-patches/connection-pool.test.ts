import { createServer, type Socket } from 'node:net';
import { eventually } from '@leadership/testkit/adapter';
import { afterEach, it } from 'vitest';
import { kafkajsClient } from '../../src/kafkajs/kafkajs-client.ts';

const over: (() => void)[] = [];
afterEach(() => {
  for (const end of over.splice(0)) end();
});

const keys = { fetch: 1, metadata: 3, apiVersions: 18 } as const;
const sizeBytes = 4;

/** A broker that returns its API versions and its number, 1, and answers nothing else. */
async function lonelyBroker(): Promise<{ readonly port: number; readonly sockets: Socket[] }> {
  const sockets: Socket[] = [];
  let port = 0;
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.on('data', (data) => {
      for (let at = 0; at < data.length; at += sizeBytes + data.readInt32BE(at))
        answer(socket, data.subarray(at + sizeBytes), port);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  over.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, sockets };
}

function answer(socket: Socket, request: Buffer, port: number): void {
  const [key, version, correlationId] = [
    request.readInt16BE(0),
    request.readInt16BE(2),
    request.readInt32BE(4),
  ];
  if (key === keys.apiVersions) {
    const versions = Object.values(keys).map((known) =>
      Buffer.concat([int16(known), int16(0), int16(0)]),
    );
    const throttle = version > 0 ? int32(0) : Buffer.alloc(0);
    send(socket, correlationId, int16(0), int32(versions.length), ...versions, throttle);
  } else if (key === keys.metadata) {
    const host = '127.0.0.1';
    send(
      socket,
      correlationId,
      int32(1),
      int32(1),
      int16(host.length),
      Buffer.from(host),
      int32(port),
      int32(0),
    );
  }
}

function send(socket: Socket, correlationId: number, ...parts: readonly Buffer[]): void {
  const body = Buffer.concat([int32(correlationId), ...parts]);
  socket.write(Buffer.concat([int32(body.length), body]));
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

it('findBroker of KafkaJS reopens a closed connection for writes, before the next write (L4)', async () => {
  const { port, sockets } = await lonelyBroker();
  const log = kafkajsClient({ brokers: [`127.0.0.1:${port}`] }).openLog({
    topic: 't',
    requestTimeoutMs: 60_000,
  });
  over.push(() => log.close());
  await log.connect();
  await log.refreshNodes();
  const broker = await log.broker(1);
  const polled = broker.fetch([{ partition: 0, position: 0n }], {
    waitMs: 60_000,
    replyBytes: 1024,
    partitionBytes: 1024,
  });
  polled.catch(() => undefined);
  await eventually('the second connection carries the fetch', () => sockets.length === 2);
  const ended = new Promise((resolve) => sockets[0]?.once('close', resolve));
  sockets[0]?.resetAndDestroy();
  await ended;
  // KafkaJS has seen it once it refuses to send on it.
  await eventually('the write connection is open again when the broker is handed out', async () => {
    await log.broker(1);
    return sockets.length === 3;
  });
});
