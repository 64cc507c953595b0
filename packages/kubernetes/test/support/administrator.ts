import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { LocalKubernetes } from '@leadership/tools/kubernetes';
import {
  type FoundRow,
  type LeaseObject,
  type NewRow,
  objectName,
  objectOf,
  rowIn,
  selectorOf,
} from '../../src/lease.ts';

/** The namespace of the tests, which Kubernetes creates itself. */
export const namespace = 'default';

/** Returns the path of the objects of a namespace, or of one of them. */
export function pathOf(name?: string, place: string = namespace): string {
  const all = `/apis/coordination.k8s.io/v1/namespaces/${place}/leases`;
  return name === undefined ? all : `${all}/${name}`;
}

/** Returns the rows of a group, as they are now. */
export async function rowsOf(
  { call }: LocalKubernetes,
  group: string,
): Promise<readonly FoundRow[]> {
  const path = `${pathOf()}?labelSelector=${encodeURIComponent(selectorOf(group))}`;
  const { items } = (await call({ path })) as { readonly items: readonly LeaseObject[] };
  return items.flatMap((item) => rowIn(group, item) ?? []);
}

/** Sets a row on no condition, as a person can; `null` removes it. */
export async function putRow(
  kubernetes: LocalKubernetes,
  group: string,
  name: string,
  text: string | null,
): Promise<void> {
  const { call } = kubernetes;
  const path = pathOf(objectName(group, name));
  for (;;) {
    const before = (await call({ path }).catch(() => undefined)) as LeaseObject | undefined;
    if (text !== null) {
      if (await isWritten(kubernetes, group, { name, text, before })) return;
    } else if (before === undefined || (await isDone(call({ method: 'DELETE', path })))) return;
  }
}

/** Writes a row. Resolves with whether nobody else has changed it meanwhile. */
function isWritten(
  { call }: LocalKubernetes,
  group: string,
  row: Pick<NewRow, 'name' | 'text' | 'before'>,
): Promise<boolean> {
  const others = { notification: undefined, textOf: () => undefined, now: new Date() };
  const body = objectOf(group, { ...others, ...row });
  const path = pathOf(objectName(group, row.name));
  return isDone(
    row.before
      ? call({ method: 'PUT', path, body })
      : call({ method: 'POST', path: pathOf(), body }),
  );
}

/** Resolves with whether the object was as it was read. */
async function isDone(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (/: 40[49] /.test(String(error))) return false;
    throw error;
  }
}

/** Writes objects that no member writes: foreign rows, a copy, an object without texts, half a record. */
export async function putGarbage(
  kubernetes: LocalKubernetes,
  group: string,
  partition: number,
): Promise<void> {
  const rows = await rowsOf(kubernetes, group);
  const text = rows.find(({ name }) => name === `partition#${partition}`)?.text ?? '';
  await putRow(kubernetes, group, 'README', 'not a partition');
  await putRow(kubernetes, group, 'partition#x', '{"id":7}');
  await putRow(kubernetes, group, `partition#${partition}`, text.slice(0, text.length / 2));
  const [label = '', value = ''] = selectorOf(group).split('=');
  const foreign = { metadata: { name: `foreign-${randomUUID()}`, labels: { [label]: value } } };
  await kubernetes.call({ method: 'POST', path: pathOf(), body: foreign });
  const { metadata, ...copy } = rows[0]?.object ?? {};
  const named = { ...metadata, name: `copy-${randomUUID()}`, resourceVersion: '', uid: '' };
  await kubernetes.call({ method: 'POST', path: pathOf(), body: { ...copy, metadata: named } });
}

/**
 * Lets a member of a later release own the partition, with a kind and fields that this release does not
 * know (L1).
 */
export async function putOtherRelease(
  kubernetes: LocalKubernetes,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const name = `partition#${partition}`;
  const session = `later-${randomUUID()}/1`;
  const opened = { release: 99, kind, version: 0, thresholdMs, member: 'later', proof: ['else'] };
  await putRow(kubernetes, group, `session#${session}`, JSON.stringify(opened));
  for (;;) {
    const row = (await rowsOf(kubernetes, group)).find((one) => one.name === name);
    const before = JSON.parse(row?.text ?? '{}') as {
      life?: string;
      version?: number;
      token?: string;
    };
    const { life, version = 0, token: last = '0' } = before;
    const token = String(BigInt(last) + 1n);
    const next = { release: 99, proof: ['else'], kind, life, version: version + 1, session, token };
    const written = { name, text: JSON.stringify(next), before: row?.object };
    if (await isWritten(kubernetes, group, written)) return;
  }
}

/** Restores the rows of the group as they were two renewals ago, as a restore of a backup does. */
export async function rollBack(kubernetes: LocalKubernetes, group: string): Promise<void> {
  const rows = (): Promise<readonly FoundRow[]> => rowsOf(kubernetes, group);
  const sessions = (all: readonly FoundRow[]): string =>
    all
      .filter(({ name }) => name.startsWith('session#'))
      .map(({ text }) => text)
      .join();
  const kept = await rows();
  for (let renewals = 0, last = sessions(kept); renewals < 2; ) {
    await pause(10);
    const now = sessions(await rows());
    if (now !== last) renewals += 1;
    last = now;
  }
  const names = new Set(kept.map(({ name }) => name));
  const lost = (await rows()).filter(({ name }) => !names.has(name));
  await Promise.all([
    ...kept.map(({ name, text }) => putRow(kubernetes, group, name, text)),
    ...lost.map(({ name }) => putRow(kubernetes, group, name, null)),
  ]);
}
