// The backend, with a client of the application that it has not connected. The URL of this module
// configures it: `by-client.mjs?client=redis&port=6379`.
import { backend as right } from '@leadership/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';

const { searchParams } = new URL(import.meta.url);
const port = Number(searchParams.get('port'));
const clientOf = {
  ioredis: () => new Redis({ port, lazyConnect: true }),
  redis: () => createClient({ socket: { host: '127.0.0.1', port } }),
};

export const backend = {
  ...right,
  open: (address, options) =>
    right.open(address, { ...options, client: clientOf[searchParams.get('client')]() }),
};
