import type { Environment } from './environment.ts';
import { localAddresses } from './local-addresses.ts';
import { memberNames } from './member-names.ts';
import { startProcessMember } from './process-member.ts';

/** Members that elect a leader among themselves by gossip, on local ports. All of them vote. */
export async function gossipEnvironment(): Promise<Environment> {
  const addresses = await localAddresses();
  return {
    backend: 'gossip',
    url: `gossip://${memberNames.join()}/demo`,
    start: (config, onMessage) =>
      startProcessMember({ ...config, peers: { over: 'udp', addresses } }, onMessage),
    crashed: 'killed (SIGKILL)',
    noCut: 'the demo cuts TCP connections, and these members use UDP as well',
    home: 'separate processes, without a store',
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
