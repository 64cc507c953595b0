import { randomUUID } from 'node:crypto';
import type { EditableRows } from '@leadership/testkit/faults';
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

/** Returns the rows of a group, edited as an operator can. */
export function editableRows(kubernetes: LocalKubernetes): EditableRows {
  return {
    read: async (group) =>
      new Map((await rowsOf(kubernetes, group)).map(({ name, text }) => [name, text])),
    async write(group, texts, only) {
      const found = only && (await rowsOf(kubernetes, group)).find(({ name }) => name === only[0]);
      if (found?.text !== only?.[1]) return false;
      for (const [name, text] of texts) {
        if (name !== found?.name) await putRow(kubernetes, group, name, text);
        else return isWritten(kubernetes, group, { name, text: text ?? '', before: found.object });
      }
      return true;
    },
  };
}

/** Writes objects that no member writes: a copy, and an object without texts. */
export async function putForeign(kubernetes: LocalKubernetes, group: string): Promise<void> {
  const [row] = await rowsOf(kubernetes, group);
  const [label = '', value = ''] = selectorOf(group).split('=');
  const foreign = { metadata: { name: `foreign-${randomUUID()}`, labels: { [label]: value } } };
  await kubernetes.call({ method: 'POST', path: pathOf(), body: foreign });
  const { metadata, ...copy } = row?.object ?? {};
  const named = { ...metadata, name: `copy-${randomUUID()}`, resourceVersion: '', uid: '' };
  await kubernetes.call({ method: 'POST', path: pathOf(), body: { ...copy, metadata: named } });
}
