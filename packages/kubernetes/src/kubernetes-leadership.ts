// Opens a source on Kubernetes, by options (`kubernetesLeadership`) or by URL (`backend`).
import type { LeadershipSource } from '@leadership/core';
import {
  type BackendModule,
  check,
  type Host,
  leaseBackend,
  mergeAddress,
  openSource,
} from '@leadership/core/adapter';
import { type Api, apiOf } from './api.ts';
import {
  type Connection,
  checkOptions,
  defaultThresholdMs,
  type KubernetesOptions,
  own,
} from './options.ts';
import { kubernetesRows } from './rows.ts';

/** Each reading lists all objects of the group, about 1 KB for each partition. */
const partitions = { max: 256, backend: 'kubernetes' };

/**
 * Opens a source for one member of a group that is kept in `Lease` objects. It starts at once; `ready()`
 * resolves when the API server is usable.
 * @throws LeadershipError `invalid-options`
 */
export function kubernetesLeadership(options: KubernetesOptions): LeadershipSource {
  return kubernetesOver(options, apiOf);
}

/** Opens a source over an API of the caller's own. For tests of this package. */
export function kubernetesOver(
  options: KubernetesOptions,
  open: (connection: Connection, host: Pick<Host, 'clock'>) => Api,
): LeadershipSource {
  const { thresholdMs = defaultThresholdMs, notifications = true } = options;
  checkOptions(options);
  const resolved = own.resolve({ ...options, thresholdMs }, partitions);
  const { group } = resolved;
  const backend = leaseBackend(
    resolved,
    (host) => kubernetesRows(open(options, host), { group, thresholdMs, notifications }, host),
    { showsRenewals: notifications },
  );
  return openSource(backend, resolved);
}

/** The backend module for `openLeadership('kubernetes:NAMESPACE?group=GROUP')`. */
export const backend: BackendModule = {
  scheme: 'kubernetes',
  parameters: own.parameters,
  open(address, options) {
    const { hosts, path } = address;
    check(
      hosts.length === 0,
      `a kubernetes: URL names a namespace, but this one a host: write kubernetes:NAMESPACE?group=GROUP, and the address in the option server`,
    );
    const place = path === '' ? {} : { namespace: path };
    return kubernetesLeadership(mergeAddress(address, options, place) as KubernetesOptions);
  },
};
