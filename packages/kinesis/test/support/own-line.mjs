// The backend, with a table client on this member's own proxy line. The URL of this module
// configures it: `own-line.mjs?config={…}`.
import { backend as right } from '@leadership/kinesis';

const dynamodb = JSON.parse(new URL(import.meta.url).searchParams.get('config'));

export const backend = {
  ...right,
  open: (address, options) => right.open(address, { ...options, dynamodb }),
};
