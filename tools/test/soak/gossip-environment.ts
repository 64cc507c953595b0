import { gossipProxy } from '@leadership/testkit/internal';
import type { SoakEnvironment } from '../../src/soak/environment.ts';
import { cut, oneWay, openLinks } from '../../src/soak/links.ts';

/** The interval of gossip: S6 permits at most 257 ms for twenty members and T = 3 s. */
const intervalMs = 250;

/** Every third datagram is lost, every third arrives twice, and most arrive in another order. */
const rough = { lose: 0.3, repeat: 0.3 } as const;

/**
 * Returns an environment in which members elect a leader among themselves by gossip. Each member
 * reaches each other member through a proxy for UDP and TCP, which loses and repeats some datagrams.
 * Some faults affect all connections between voters. Votes then cross the group over other members.
 * `module` opens the members.
 */
export async function gossipEnvironment(
  names: readonly string[],
  voters: readonly string[],
  module = new URL('gossip-links.mjs', import.meta.url),
): Promise<SoakEnvironment> {
  const links = await openLinks(names, gossipProxy);
  const { memberFaults } = links;
  const environmentFaults = {
    ...links.environmentFaults,
    'voters cut from each other': links.among(voters, cut),
    'some links between voters one-way': links.among(voters, (proxy, { rng }) =>
      rng.between(0, 1) < 0.5 ? oneWay(proxy) : undefined,
    ),
    'lost, repeated, reordered between voters': links.among(voters, (proxy, { rng, settings }) => {
      const greatest = rng.between(0.1, 1) * settings.thresholdMs;
      return proxy.disturb({ ...rough, delayMs: [0, greatest] });
    }),
  };
  return {
    name: `gossip, ${voters.length} voters`,
    memberFaults,
    environmentFaults,
    environmentFaultEvery: 12,
    memberOptions(member) {
      const opened = new URL(module);
      const sizes = { membersMax: names.length, intervalMs };
      const config = { ...links.of(member), ...sizes, voters };
      opened.searchParams.set('config', JSON.stringify(config));
      return { url: 'gossip://members/soak', module: opened.href };
    },
    [Symbol.asyncDispose]: () => links[Symbol.asyncDispose](),
  };
}
