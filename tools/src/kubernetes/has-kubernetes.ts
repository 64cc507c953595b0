// Finds the programs of Kubernetes for tests.
import { join } from 'node:path';
import { cacheDirectory } from '../backends/cache-directory.ts';
import { directoryWith } from '../backends/directory-with.ts';
import { isOffered } from '../backends/is-offered.ts';
import { etcdProgram } from '../etcd/program.ts';

/**
 * Resolves with the program `kube-apiserver` of the path, or else the one that `.ci/install-servers`
 * builds into the cache; `undefined` if neither is there.
 */
export function apiServerProgram(): Promise<string | undefined> {
  return programNamed('kube-apiserver');
}

/** Resolves with the program `kubectl`, which is found in the same way. */
export function kubectlProgram(): Promise<string | undefined> {
  return programNamed('kubectl');
}

async function programNamed(program: string): Promise<string | undefined> {
  const directory = await directoryWith([program], [join(cacheDirectory(), 'kubernetes-1.33')]);
  return directory && join(directory, program);
}

/**
 * Resolves with whether an API server can be started. If it cannot, one line on stderr states what is
 * missing; if `REQUIRE_BACKENDS` contains `kubernetes`, the promise rejects instead.
 */
export async function hasKubernetes(): Promise<boolean> {
  const programs = await Promise.all([apiServerProgram(), etcdProgram()]);
  const missing =
    'run .ci/install-servers, which builds kube-apiserver and etcd with Go (minutes, once), or install both';
  return isOffered('kubernetes', programs.includes(undefined) ? missing : undefined);
}
