import { once } from 'node:events';
import { connect } from 'node:net';
import { startKinesis } from '@leadership/tools/aws';
import { expect, test } from 'vitest';

test('goes on serving although connections are reset before it accepts them', async () => {
  await using kinesis = await startKinesis();
  const { hostname, port } = new URL(kinesis.url);
  const reset = async (): Promise<void> => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.resetAndDestroy();
  };
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(Array.from({ length: 50 }, reset));
    expect((await fetch(kinesis.url)).status, 'of an invalid request').toBeGreaterThanOrEqual(400);
  }
});
