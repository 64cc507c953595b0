// The gossip backend with separate addresses per member. The URL of this module contains the port to
// listen on, the address of each other member, and the options of the group, for example
// `gossip-links.mjs?config={"listen":5001,"addresses":{"m2":"127.0.0.1:5002"},"voters":["m1"]}`.
import { backend as right, scuttlebuttLeadership, udpTransport } from '@leadership/scuttlebutt';

const { listen, addresses, ...group } = JSON.parse(
  new URL(import.meta.url).searchParams.get('config'),
);

export const backend = {
  ...right,
  open({ path }, options) {
    const transport = udpTransport({ listen: { host: '127.0.0.1', port: listen }, addresses });
    return scuttlebuttLeadership({ ...options, ...group, group: path.slice(1), transport });
  },
};
