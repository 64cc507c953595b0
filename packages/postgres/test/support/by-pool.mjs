// The backend, with a pool of the application that has no connection of its own. The URL of this
// module configures it: `by-pool.mjs?config={…}`.
import { backend as right } from '@leadership/postgres';
import pg from 'pg';

const config = JSON.parse(new URL(import.meta.url).searchParams.get('config'));

export const backend = {
  ...right,
  open: (address, options) => right.open(address, { ...options, pool: new pg.Pool(config) }),
};
