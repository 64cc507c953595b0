import { LeadershipError, type SourceOptions } from '@leadership/core';
import {
  type Backend,
  type Host,
  type OptionLimits,
  openSource,
  resolveOptions,
} from '@leadership/core/adapter';
import { resolveOwn, type ScuttlebuttOptions, type Settings } from './options.ts';
import type { ScuttlebuttSource } from './scuttlebutt-source.ts';
import { guaranteesOf } from './source/guarantees.ts';
import { ScuttlebuttMembership } from './source/membership.ts';
import { SharedState } from './source/shared-state.ts';
import type { OpenGossip } from './transport/transport.ts';
import { udpTransport } from './transport/udp-transport.ts';

const ownOptions: Readonly<Record<Exclude<keyof ScuttlebuttOptions, keyof SourceOptions>, true>> = {
  voters: true,
  seeds: true,
  membersMax: true,
  intervalMs: true,
  fanout: true,
  transport: true,
};

/** Every message of a voter carries one support for each partition. */
const limits: OptionLimits = {
  partitions: { max: 64, backend: 'Scuttlebutt' },
  own: Object.keys(ownOptions),
};

/**
 * One member of a group that elects by gossip. Starts at once; `ready()` waits for a majority of
 * the voters.
 * @throws LeadershipError `invalid-options`
 */
export function scuttlebuttLeadership(given: ScuttlebuttOptions): ScuttlebuttSource {
  const { voters, seeds, membersMax, intervalMs, fanout, transport, ...common } = given;
  const options = resolveOptions(common, limits);
  const settings = resolveOwn(given, options);
  const open = transport ?? udpTransport();
  if (typeof open !== 'function')
    throw new LeadershipError(
      'invalid-options',
      'transport must be made by udpTransport, or be a function that opens one',
    );
  const shared = new SharedState(options.member, options.metadata);
  return shared.addTo(openSource(scuttlebuttBackend(settings, open, shared), options));
}

function scuttlebuttBackend(settings: Settings, open: OpenGossip, shared: SharedState): Backend {
  return {
    guarantees: guaranteesOf(settings),
    start: (host: Host) => new ScuttlebuttMembership({ settings, open, shared }, host),
  };
}
