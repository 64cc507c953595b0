import { readFile } from 'node:fs/promises';
import type { LocalKubernetes } from '@leadership/tools/kubernetes';
import { parseAllDocuments } from 'yaml';

interface Role {
  readonly kind: string;
  readonly rules: readonly [{ readonly verbs: readonly string[] }];
}

/** The manifest that the guide shows. */
const manifest = new URL('../../../../examples/kubernetes/role.yaml', import.meta.url);

/** Returns the Role of the guide. */
export async function documentedRole(): Promise<Role> {
  const documents = parseAllDocuments(await readFile(manifest, 'utf8'));
  const role = documents
    .map((document) => document.toJS() as Role)
    .find(({ kind }) => kind === 'Role');
  if (role === undefined) throw new Error('the manifest has no Role');
  return role;
}

/** Creates a namespace. */
export async function createNamespace({ call }: LocalKubernetes, name: string): Promise<void> {
  await call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } });
}

/**
 * Creates a service account with the Role of the guide, but only those of its verbs. Resolves with a
 * token of it.
 */
export async function createAccount(
  { call }: LocalKubernetes,
  place: string,
  name: string,
  wants: (verb: string) => boolean = () => true,
): Promise<string> {
  const metadata = { name };
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${place}`;
  const accounts = `/api/v1/namespaces/${place}/serviceaccounts`;
  const rules = (await documentedRole()).rules.map((rule) => ({
    ...rule,
    verbs: rule.verbs.filter(wants),
  }));
  await call({ method: 'POST', path: accounts, body: { metadata } });
  await call({ method: 'POST', path: `${rbac}/roles`, body: { metadata, rules } });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace: place }];
  const body = { metadata, roleRef, subjects };
  await call({ method: 'POST', path: `${rbac}/rolebindings`, body });
  const path = `${accounts}/${name}/token`;
  const { status } = (await call({ method: 'POST', path, body: {} })) as {
    readonly status: { readonly token: string };
  };
  return status.token;
}
