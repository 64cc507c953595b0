import { recentProgram } from '../backends/recent-program.ts';

/** Resolves with the program `etcd`; `undefined` if none is there that the adapter supports. */
export function etcdProgram(): Promise<string | undefined> {
  const version = /Version: (\d+)\.(\d+)/;
  return recentProgram({ name: 'etcd', folder: 'etcd-3.5', version, oldest: [3, 5] });
}
