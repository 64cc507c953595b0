// The backend, with a client that asks Sentinel for the primary, and reaches it by this member's own
// proxies. The URL of this module configures it: `by-sentinel.mjs?config={…}`.
import { backend as right } from '@leadership/redis';
import { Redis } from 'ioredis';

const config = JSON.parse(new URL(import.meta.url).searchParams.get('config'));

export const backend = {
  ...right,
  open: (address, options) =>
    right.open(address, { ...options, client: new Redis({ ...config, lazyConnect: true }) }),
};
