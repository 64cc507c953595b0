// Opens a source on etcd, by options (`etcdLeadership`) or by URL (`backend`).
import type { LeadershipSource } from '@leadership/core';
import {
  type BackendModule,
  doubtMsOf,
  type Host,
  hostsBackend,
  leaseBackend,
  openSource,
} from '@leadership/core/adapter';
import { type Gateway, type GatewayOptions, httpGateway } from './gateway.ts';
import { checkOptions, type EtcdOptions, own } from './options.ts';
import { etcdRows } from './rows.ts';

/** The limit of the other servers. It has not been measured on etcd itself yet (decision 0194). */
const partitions = { max: 10_000, backend: 'etcd' };

/**
 * Opens a source for one member of a group that is kept in etcd. It starts at once; `ready()`
 * resolves when the cluster is usable.
 * @throws LeadershipError `invalid-options`
 */
export function etcdLeadership(options: EtcdOptions): LeadershipSource {
  return etcdOver(options, httpGateway);
}

/** Opens a source over a gateway of the caller's own. For tests of this package. */
export function etcdOver(
  options: EtcdOptions,
  open: (options: GatewayOptions, host: Host) => Gateway,
): LeadershipSource {
  const { prefix = 'leadership/', notifications = true } = options;
  checkOptions(options);
  const resolved = own.resolve(options, partitions);
  const { group, thresholdMs } = resolved;
  const doubtMs = doubtMsOf(resolved);
  const place = { group, prefix, thresholdMs, notifications, doubtMs };
  const backend = leaseBackend(
    resolved,
    (host) => etcdRows(open({ ...options, thresholdMs }, host), place, host),
    { showsRenewals: notifications },
  );
  return openSource(backend, resolved);
}

/** The backend module for `openLeadership('etcd://HOST:PORT,HOST:PORT/?group=GROUP')`. */
export const backend: BackendModule = hostsBackend(
  'etcd',
  own.parameters,
  'endpoints',
  etcdLeadership,
);
