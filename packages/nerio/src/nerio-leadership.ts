// Opens a source on Nerio, by options (`nerioLeadership`) or by URL (`backend`).
import { LeadershipError, type SourceOptions } from '@leadership/core';
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
import type { NerioSource } from './nerio-source.ts';
import { checkTransport, type NerioOptions, resolveOwn } from './options.ts';
import { guaranteesOf } from './source/guarantees.ts';
import { NerioMembership } from './source/membership.ts';
import { NerioApi } from './source/nerio-api.ts';
import type { Settings } from './source/settings.ts';
import { tcpTransport } from './transport/tcp/tcp-transport.ts';
import type { OpenTransport } from './transport/transport.ts';

const ownOptions: Readonly<Record<Exclude<keyof NerioOptions, keyof SourceOptions>, true>> = {
  members: true,
  quorums: true,
  joins: true,
  roundTripMs: true,
  skewMs: true,
  stateDirectory: true,
  restart: true,
  stateLost: true,
  insecure: true,
  transport: true,
};

/**
 * Three processes on one host settle 256 partitions within 10 T at the default T (`bench settle`).
 */
const limits: OptionLimits = {
  partitions: { max: 256, backend: 'Nerio' },
  own: Object.keys(ownOptions),
};

/**
 * One member of a group that elects among itself. Starts at once; `ready()` waits for a quorum of
 * voters.
 * @throws LeadershipError `invalid-options`
 */
export function nerioLeadership(given: NerioOptions): NerioSource {
  const { insecure, transport = tcpTransport({ insecure: insecure ?? false }) } = given;
  if (insecure !== undefined && given.transport !== undefined)
    throw new LeadershipError(
      'invalid-options',
      'insecure applies only to the default transport; pass it to tcpTransport',
    );
  const options = resolveOptions(given, limits);
  const settings: Settings = { ...resolveOwn(given, options), options };
  checkTransport(transport, options.member, settings.members);
  const api = new NerioApi(settings);
  return api.addTo(openSource(nerioBackend(settings, transport, api), options));
}

function nerioBackend(settings: Settings, openTransport: OpenTransport, api: NerioApi): Backend {
  return {
    guarantees: guaranteesOf(settings),
    start(host: Host) {
      const membership = new NerioMembership({ settings, openTransport, api }, host);
      api.started(membership);
      return membership;
    },
  };
}

/** For `openLeadership('nerio://HOST,HOST/GROUP?member=HOST')`. */
export const backend: BackendModule = {
  scheme: 'nerio',
  parameters: {
    roundTripMs: 'number',
    skewMs: 'number',
    stateDirectory: 'string',
    restart: 'string',
    stateLost: 'boolean',
    joins: 'boolean',
    insecure: 'boolean',
  },
  open(address, options) {
    const place = placeIn(
      address,
      'the members',
      'a.example:7400,b.example:7400/billing?member=a.example:7400',
    );
    // The query has been read as strings, numbers and truth values; what they say is checked like
    // any other option.
    const { members } = options as Partial<NerioOptions>;
    const named = { members: membersBeside(place.hosts, members), group: place.group };
    return nerioLeadership(
      memberAt(
        place,
        mergeAddress(address, options, named) as Partial<NerioOptions> & typeof named,
      ),
    );
  },
};

/** Returns the members of the option if their names are those of the URL, which has no room for more. */
function membersBeside(
  hosts: readonly string[],
  members: NerioOptions['members'] | undefined,
): NerioOptions['members'] {
  if (!Array.isArray(members)) return hosts;
  const names = members.map((one) => (typeof one === 'string' ? one : one?.member));
  return names.join() === hosts.join() ? members : hosts;
}
