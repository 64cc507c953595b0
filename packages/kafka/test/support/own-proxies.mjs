// The backend, but this member reaches every broker through a proxy of its own. The URL of the module
// names the port of the proxy for each port, as in `own-proxies.mjs?9092=5001&9093=5002`, because a
// member process has no other configuration.
import { connect } from 'node:net';
import { backend as right } from '@leadership/kafka';

const connections = new URL(import.meta.url).searchParams;

const socketFactory = ({ port, onConnect }) =>
  connect(
    { host: '127.0.0.1', port: Number(connections.get(String(port))), noDelay: true },
    onConnect,
  );

export const backend = {
  ...right,
  open: (address, options) => right.open(address, { ...options, kafka: { socketFactory } }),
};
