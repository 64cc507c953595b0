// A member in a process of its own that calls each of the others by a way of its own: where it listens, and which way leads to whom, the
// module's URL says. It asks for other members where a wish of its name says so, and notes there in which epoch it is.
import { nerioLeadership, backend as right, tcpTransport } from '@leadership/nerio';
import { follow } from './wishes.mjs';

const { listen, ways, wishes } = JSON.parse(new URL(import.meta.url).searchParams.get('place'));

export const backend = {
  ...right,
  open({ hosts, path, parameters }, options) {
    const transport = tcpTransport({ listen: { host: '127.0.0.1', port: listen }, addresses: ways });
    return follow(nerioLeadership({ ...parameters, ...options, group: path.slice(1), members: hosts, transport }), wishes);
  },
};
