// Follows the guides of Kubernetes and of MySQL with the installed tarballs: three processes of the
// README's program, of which the leader is killed, and what an operator then sees.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { localServer } from '../backends/local-server.ts';
import { kubectlProgram, localKubernetes } from '../kubernetes/index.ts';
import { localMysql } from '../mysql/index.ts';
import { type Running, startExample } from './run-example.ts';

const run = promisify(execFile);
/** The manifest of the guide. */
const role = resolve(import.meta.dirname, '../../../examples/kubernetes/role.yaml');
const members = ['billing-1', 'billing-2', 'billing-3'];
const options = 'group=billing&partitions=1&thresholdMs=3000';

/**
 * Lets three processes elect with the rights of the documented Role, which `kubectl` has applied.
 * Resolves with what `kubectl get lease` prints. Rejects if it does not show the second leader.
 */
export async function leadOnKubernetes(node: string, project: string): Promise<string> {
  const program = await kubectlProgram();
  if (program === undefined) throw new Error('kubectl is not installed');
  await using kubernetes = await localKubernetes();
  const { url, ca, token, server } = kubernetes;
  const certificate = join(server.directory, 'ca.crt');
  await writeFile(certificate, ca);
  const way = ['--server', url, '--certificate-authority', certificate, '--namespace', 'default'];
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, KUBECONFIG: '/dev/null', HOME: server.directory };
    return (await run(program, [...way, '--token', token, ...args], { env })).stdout.trimEnd();
  };
  await kubectl('apply', '--filename', role);
  const account = await kubectl('create', 'token', 'billing');
  await using proxy = await localServer({
    name: 'kubectl proxy',
    ports: 1,
    command: ({ port }) => [program, [...way, '--token', account, 'proxy', '--port', String(port)]],
    ready: /Starting to serve/,
  });
  const address = `kubernetes:default?${options}&server=http://127.0.0.1:${proxy.port}`;
  return await afterKill(node, project, address, {}, async (leader) => {
    const shown = await kubectl('get', 'lease', '--output', 'wide');
    if (!new RegExp(`^billing\\.partition\\.0 +${leader} `, 'm').test(shown))
      throw new Error(`kubectl does not show that ${leader} leads:\n${shown}`);
    return shown;
  });
}

/** Does the same on MariaDB. Resolves with what `leadership status` prints. */
export async function leadOnMysql(node: string, project: string): Promise<string> {
  await using mysql = await localMysql();
  const { port, user, password, database } = mysql;
  const address = `mysql://127.0.0.1:${port}/${database}?user=${user}&${options}`;
  const env = { MYSQL_PWD: password };
  return await afterKill(node, project, address, env, async (leader) => {
    const command = [join(project, 'node_modules/.bin/leadership'), 'status', address];
    const { stdout } = await run(node, command, { cwd: project, env: { ...process.env, ...env } });
    if (!stdout.includes(leader)) throw new Error(`${leader} leads, but status prints:\n${stdout}`);
    return stdout.trimEnd();
  });
}

/** Starts three members, kills the leader, and calls the function once another one leads. */
async function afterKill<T>(
  node: string,
  project: string,
  address: string,
  env: Readonly<Record<string, string>>,
  look: (leader: string) => Promise<T>,
): Promise<T> {
  const running = new Map<string, Running>();
  const leading = (): Promise<string> =>
    Promise.race(
      Array.from(running, async ([name, process]) => {
        await process.prints('invoice sent in term');
        return name;
      }),
    );
  try {
    for (const member of members)
      running.set(member, startExample(node, project, `${address}&member=${member}`, env));
    const first = await leading();
    await running.get(first)?.[Symbol.asyncDispose]();
    running.delete(first);
    return await look(await leading());
  } finally {
    await Promise.all(Array.from(running.values(), (process) => process[Symbol.asyncDispose]()));
  }
}
