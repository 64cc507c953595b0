import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { eventually } from '@leadership/testkit/adapter';
import { tcpProxy } from '@leadership/testkit/faults';
import { hasNats, type LocalNats, localNats } from '@leadership/tools/nats';
import { listed, networkTests, prepared, silenceTests, writerTests } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { natsLeadership } from '../src/index.ts';
import { openRows } from './support/open-rows.ts';

describe.runIf(await hasNats())('requests to NATS', () => {
  let nats: LocalNats;
  beforeAll(async () => {
    nats = await localNats();
    await using first = openRows({ servers: nats.addresses });
    await prepared(first);
  });
  afterAll(() => nats[Symbol.asyncDispose]());
  const serverPort = (): number => nats.servers[0]?.port ?? 0;

  silenceTests(
    ({ port, ...options }) => openRows({ servers: [`127.0.0.1:${port}`], ...options }),
    serverPort,
    'with requests',
  );

  networkTests(
    ({ port, ...options }) => natsLeadership({ servers: [`127.0.0.1:${port}`], ...options }),
    serverPort,
  );

  writerTests((options) => openRows({ servers: nats.addresses, ...options }), false);

  it('reads within T/4 over round trips of T/10, although a connection begins with several', async () => {
    await using way = await tcpProxy({ port: serverPort() });
    const thresholdMs = 2000;
    way.delay(thresholdMs / 20);
    await using rows = openRows({ servers: [`127.0.0.1:${way.port}`], thresholdMs });
    await eventually('a reading has an answer', () =>
      listed(rows, AbortSignal.timeout(thresholdMs / 4)).then(
        () => true,
        () => false,
      ),
    );
  });

  it('leaves no connection open to a server that accepts it and answers nothing', async () => {
    const opened = new Set<Socket>();
    const silent = createServer((socket) => {
      opened.add(socket);
      socket.on('close', () => opened.delete(socket)).resume();
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const rows = openRows({ servers: [`127.0.0.1:${port}`] });
    await expect(prepared(rows)).rejects.toMatchObject({ code: 'unreachable' });
    await rows[Symbol.asyncDispose]();
    await eventually('all connections are closed', () => opened.size === 0);
    silent.close();
  });

  it('uses the next server if the first one accepts connections and answers nothing', async () => {
    await using way = await tcpProxy({ port: serverPort() });
    way.halfOpen();
    const servers = [`127.0.0.1:${way.port}`, ...nats.addresses];
    const options = { group: 'silent', member: 'a', thresholdMs: 1000, partitions: 1 };
    await using source = natsLeadership({ ...options, servers, log: false });
    await eventually('it leads', () => source.role(0).isLeading());
  });
});
