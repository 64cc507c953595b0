// Opens a source on gossip, by options (`scuttlebuttLeadership`) or by URL (`backend`).
import type { SourceOptions } from '@leadership/core';
import {
  type Backend,
  type BackendModule,
  type Host,
  mergeAddress,
  type OptionLimits,
  openSource,
  resolveOptions,
} from '@leadership/core/adapter';
import { memberAt, placeIn } from '@leadership/core/internal/engine';
import { checkTransport, resolveOwn, type ScuttlebuttOptions, type Settings } from './options.ts';
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
  insecure: true,
  transport: true,
};

/** Every message of a voter carries one support for each partition. */
const limits: OptionLimits = {
  partitions: { max: 64, backend: 'Scuttlebutt' },
  own: Object.keys(ownOptions),
};

/**
 * One member of a group that elects by gossip. Starts at once; `ready()` waits for a majority of
 * the voters, and at a voter until it votes itself: `thresholdMsMax` at least.
 * @throws LeadershipError `invalid-options`
 */
export function scuttlebuttLeadership(given: ScuttlebuttOptions): ScuttlebuttSource {
  const { insecure, transport = udpTransport({ insecure: insecure ?? false }) } = given;
  const options = resolveOptions(given, limits);
  const settings = resolveOwn(given, options);
  checkTransport(transport, given, settings.seeds);
  const shared = new SharedState(options.member, options.metadata);
  return shared.addTo(openSource(scuttlebuttBackend(settings, transport, shared), options));
}

function scuttlebuttBackend(settings: Settings, open: OpenGossip, shared: SharedState): Backend {
  return {
    guarantees: guaranteesOf(settings),
    start: (host: Host) => new ScuttlebuttMembership({ settings, open, shared }, host),
  };
}

/** For `openLeadership('gossip://HOST,HOST/GROUP?member=HOST')`. */
export const backend: BackendModule = {
  scheme: 'gossip',
  parameters: {
    membersMax: 'number',
    intervalMs: 'number',
    fanout: 'number',
    insecure: 'boolean',
  },
  open(address, options) {
    const place = placeIn(
      address,
      'the voters',
      'a.example:7400,b.example:7400,c.example:7400/billing?member=a.example:7400',
    );
    const named = { voters: place.hosts, group: place.group };
    return scuttlebuttLeadership(memberAt(place, mergeAddress(address, options, named)));
  },
};
