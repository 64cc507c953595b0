// The backend module of a member in a process of its own that connects to every other member
// through a proxy. The URL of the module names its address and its proxies. It proposes a change of
// members when its wish file says so, and writes its epoch there.
import { nerioLeadership, backend as right, tcpTransport } from '@leadership/nerio';
import { follow } from './proposals.mjs';

const { listen, addresses, proposals } = JSON.parse(
  new URL(import.meta.url).searchParams.get('place'),
);

export const backend = {
  ...right,
  open({ hosts, path, parameters }, options) {
    const transport = tcpTransport({
      listen: { host: '127.0.0.1', port: listen },
      addresses,
    });
    return follow(
      nerioLeadership({
        ...parameters,
        ...options,
        group: path.slice(1),
        members: hosts,
        transport,
      }),
      proposals,
    );
  },
};
