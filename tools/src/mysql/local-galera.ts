// Starts the nodes of a Galera cluster on this host: each is a MariaDB that takes changes.
import { access } from 'node:fs/promises';
import { eventually } from '@leadership/testkit/adapter';
import { freePorts } from '@leadership/testkit/faults';
import { assembled } from '../backends/assembled.ts';
import { hostUser } from '../backends/host-user.ts';
import { isOffered } from '../backends/is-offered.ts';
import { type LocalMysql, localMysql, mariadbPrograms } from './local-mysql.ts';

/** The library of Galera, where Debian installs it with MariaDB. */
const provider = '/usr/lib/galera/libgalera_smm.so';

/** A cluster that this process controls. Disposing kills all nodes. */
export interface LocalGalera extends AsyncDisposable {
  readonly nodes: readonly LocalMysql[];
}

/** Resolves with whether {@link localGalera} can start a cluster. A line on stderr says what is missing. */
export async function hasGalera(): Promise<boolean> {
  const programs = await mariadbPrograms();
  const isThere = await access(provider).then(
    () => programs !== undefined,
    () => false,
  );
  return isOffered(
    'galera',
    isThere ? undefined : 'install the packages mariadb-server and galera-4',
  );
}

/** Starts a cluster. Resolves once each node has the data of the first one. */
export async function localGalera(count = 3): Promise<LocalGalera> {
  // rsync, by which a node receives its data, would write as nobody where root runs it.
  const user = await hostUser('mysql');
  const ports = await freePorts(3 * count);
  const members = Array.from({ length: count }, (_, index) => `127.0.0.1:${ports[3 * index]}`);
  return assembled(async (keep) => {
    const nodes: LocalMysql[] = [];
    for (const [index, member] of members.entries()) {
      const [ist, sst] = [ports[3 * index + 1], ports[3 * index + 2]];
      const settings = {
        'wsrep-on': '1',
        'wsrep-provider': provider,
        'wsrep-provider-options': `gmcast.listen_addr=tcp://${member};ist.recv_addr=127.0.0.1:${ist}`,
        'wsrep-cluster-address': `gcomm://${members.slice(0, index).join()}`,
        'wsrep-node-address': '127.0.0.1',
        'wsrep-sst-method': 'rsync',
        'wsrep-sst-receive-address': `127.0.0.1:${sst}`,
        'binlog-format': 'ROW',
        'innodb-autoinc-lock-mode': '2',
        // The others receive the users from the first one.
        ...(index > 0 && { 'init-file': '/dev/null' }),
      };
      const node = keep(await localMysql({ settings, user }));
      nodes.push(node);
      await eventually('the node is synchronised', async () =>
        /Synced/.test(
          await node.execute("show status like 'wsrep_local_state_comment'").catch(() => ''),
        ),
      );
    }
    return { nodes };
  });
}
