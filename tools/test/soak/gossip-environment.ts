import { gossipProxy } from '@leadership/testkit/internal';
import type { SoakEnvironment } from '../../src/soak/environment.ts';
import { openLinks } from '../../src/soak/links.ts';

/** The interval of gossip: S6 permits at most 257 ms for twenty members and T = 3 s. */
const intervalMs = 250;

/**
 * Returns an environment in which members elect a leader among themselves by gossip. Each member
 * reaches each other member through a proxy for UDP and TCP, which loses and repeats some datagrams.
 */
export async function gossipEnvironment(
  names: readonly string[],
  voters: readonly string[],
): Promise<SoakEnvironment> {
  const links = await openLinks(names, gossipProxy);
  const { memberFaults, environmentFaults } = links;
  return {
    name: `gossip, ${voters.length} voters`,
    ...{ memberFaults, environmentFaults, environmentFaultEvery: 30 },
    memberOptions(member) {
      const module = new URL('gossip-links.mjs', import.meta.url);
      const sizes = { membersMax: names.length, intervalMs };
      const config = { ...links.of(member), ...sizes, voters };
      module.searchParams.set('config', JSON.stringify(config));
      return { url: 'gossip://members/soak', module: module.href };
    },
    [Symbol.asyncDispose]: () => links[Symbol.asyncDispose](),
  };
}
