// A member in a process of its own that calls each of the others by a way of its own: where it listens, and which way leads to whom, the
// module's URL says.
import { nerioLeadership, backend as right, tcpTransport } from '@leadership/nerio';

const { listen, ways } = JSON.parse(new URL(import.meta.url).searchParams.get('place'));

export const backend = {
  ...right,
  open({ hosts, path, parameters }, options) {
    const transport = tcpTransport({ listen: { host: '127.0.0.1', port: listen }, addresses: ways });
    return nerioLeadership({ ...parameters, ...options, group: path.slice(1), members: hosts, transport });
  },
};
