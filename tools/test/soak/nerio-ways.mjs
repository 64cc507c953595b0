// Nerio as it is, but each of the others is called by a way of this member's own: where it listens, and which way leads to whom, the module's
// URL says, as in `nerio-ways.mjs?place={"listen":5001,"ways":{"m2":"127.0.0.1:5002"}}`.
import { nerioLeadership, backend as right, tcpTransport } from '@leadership/nerio';

const { listen, ways } = JSON.parse(new URL(import.meta.url).searchParams.get('place'));

export const backend = {
  ...right,
  open({ hosts, path, parameters }, options) {
    const transport = tcpTransport({ listen: { host: '127.0.0.1', port: listen }, addresses: ways });
    return nerioLeadership({ ...parameters, ...options, group: path.slice(1), members: hosts, transport });
  },
};
