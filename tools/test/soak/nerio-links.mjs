// The Nerio backend with separate addresses per member. The URL of this module contains the port to
// listen on and the address of each other member, for example
// `nerio-links.mjs?config={"listen":5001,"addresses":{"m2":"127.0.0.1:5002"}}`.
import { nerioLeadership, backend as right, tcpTransport } from '@leadership/nerio';

const { listen, addresses } = JSON.parse(new URL(import.meta.url).searchParams.get('config'));

export const backend = {
  ...right,
  open({ hosts, path, parameters }, options) {
    const transport = tcpTransport({ listen: { host: '127.0.0.1', port: listen }, addresses });
    return nerioLeadership({
      ...parameters,
      ...options,
      group: path.slice(1),
      members: hosts,
      transport,
    });
  },
};
