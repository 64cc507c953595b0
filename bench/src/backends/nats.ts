// NATS as the benchmarks of elections use it.
import { hasNats, localNats } from '@leadership/tools/nats';
import { connect } from '@nats-io/transport-node';
import type { Backend } from './backend.ts';
import { byFollowing, storeBackend } from './stores.ts';

/** One server of this host, whose changes wait for the disk. */
export const nats: Backend = storeBackend({
  name: 'nats',
  roundTrip: 'a durable write of one key',
  isOffered: () => hasNats(),
  async start() {
    const local = await localNats({ fsync: true });
    return { ...local, port: Number(local.addresses[0]?.split(':').at(-1)) };
  },
  async use(_, port) {
    const host = `127.0.0.1:${port}`;
    const client = await connect({ servers: [host] });
    const bucket = { name: 'KV_trips', subjects: ['$KV.trips.>'], max_msgs_per_subject: 1 };
    await client.request('$JS.API.STREAM.CREATE.KV_trips', JSON.stringify(bucket));
    let [reads, writes] = [0, 0];
    // Members read and change rows by messages to the subjects of the bucket.
    client.subscribe('$KV.leadership.>', {
      callback: (_error, { subject }) => {
        if (/\.read\.\d+$/.test(subject)) reads += 1;
        else writes += 1;
      },
    });
    return {
      place: 'NATS of this host, one server',
      address: (group) => ({ url: `nats://${host}/?group=${group}` }),
      request: () => client.request('$KV.trips.a', 'trip'),
      words: { reads: 'messages that read', writes: 'changes' },
      count: async () => ({ reads, writes }),
      documented: byFollowing,
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
});
