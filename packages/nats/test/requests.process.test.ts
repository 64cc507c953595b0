import { hasNats, type LocalNats, localNats } from '@leadership/tools/nats';
import { closingTests, prepared, silenceTests, writerTests } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe } from 'vitest';
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

  // One connection carries the requests and the rows, so each reading proves that it lives.
  silenceTests(
    ({ port, ...options }) => openRows({ servers: [`127.0.0.1:${port}`], ...options }),
    () => nats.servers[0]?.port ?? 0,
    false,
  );

  closingTests(
    ({ port, ...options }) => natsLeadership({ servers: [`127.0.0.1:${port}`], ...options }),
    () => nats.servers[0]?.port ?? 0,
  );

  writerTests((options) => openRows({ servers: nats.addresses, ...options }), false);
});
