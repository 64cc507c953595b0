// The backend as it is, but every broker is reached by a way of this member's own. Which port leads
// where the module's URL says, as in `own-ways.mjs?9092=5001&9093=5002`: a member process has no
// other configuration.
import { connect } from 'node:net';
import { backend as right } from '@leadership/kafka';

const ways = new URL(import.meta.url).searchParams;

const socketFactory = ({ port, onConnect }) =>
  connect({ host: '127.0.0.1', port: Number(ways.get(String(port))), noDelay: true }, onConnect);

export const backend = {
  ...right,
  open: (address, options) => right.open(address, { ...options, kafka: { socketFactory } }),
};
