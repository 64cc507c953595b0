import type { Rows } from '@leadership/core/adapter';
import type { RowsStore } from '@leadership/testkit';
import { type StoreProxy, storeProxy } from '@leadership/testkit/faults';
import { type LocalKubernetes, localKubernetes } from '@leadership/tools/kubernetes';
import { putRow } from './administrator.ts';
import { hindered } from './hindered.ts';
import { openRows } from './open-rows.ts';

/** The store under test, and its server. */
export interface KubernetesStore extends RowsStore {
  readonly kubernetes: LocalKubernetes;
}

/** A server, whose replies each member can lose. */
export async function openStore(): Promise<KubernetesStore> {
  const kubernetes = await localKubernetes();
  const ways = new Map<Rows, StoreProxy>();
  return {
    name: 'kubernetes',
    kubernetes,
    cannot: {
      'lagging-reads': 'readings are of the whole cluster',
      'open-transactions': 'a change is one request',
      'locked-rows': 'a change is one request',
      'promoted-replica': 'a server of etcd without the newest changes does not answer',
      'restored-backup': 'the API does not say which history its etcd has',
      'missing-store': 'a member creates no namespace',
    },
    openRows(group) {
      const way = storeProxy();
      const { rows } = openRows(kubernetes, { group }, (api) => hindered(api, way));
      ways.set(rows, way);
      return rows;
    },
    notifies: true,
    holdsNul: true,
    put: (group, name, text) => putRow(kubernetes, group, name, text),
    loseReplies(rows) {
      const way = ways.get(rows);
      if (way === undefined) throw new Error('unknown rows');
      return way.inject('lost-replies');
    },
    [Symbol.asyncDispose]: () => kubernetes[Symbol.asyncDispose](),
  };
}
