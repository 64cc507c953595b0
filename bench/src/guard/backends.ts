import { join } from 'node:path';
import { hasLocalEtcd, localEtcd } from '@leadership/tools/etcd';
import { electionsOn } from '../etcd/election.ts';
import { openEnvironment } from '../kafka/environment.ts';
import { tempDirectory } from '../process/temp-directory.ts';
import type { Report } from '../report/figures.ts';
import { startCurator } from '../zookeeper/curator.ts';
import { type CrashProvedOptions, crashProved } from './crash-proved.ts';

/** Runs the benchmark on files, beside the elections of etcd and Curator. */
export async function crashProvedOnFiles(options: CrashProvedOptions): Promise<Report> {
  await using directory = await tempDirectory();
  await using curator = await startCurator(options.thresholdMs);
  await using etcd = (await hasLocalEtcd()) ? await localEtcd({ fsync: true }) : undefined;
  const ttl = Math.round(options.thresholdMs / 1000);
  const peers = etcd === undefined ? [] : await electionsOn(etcd.endpoints, ttl);
  return await crashProved(
    {
      name: 'crash-proved',
      place: 'files of this host',
      url: (group) => `file:${join(directory.path, 'ledger')}?group=${group}`,
      peers: [...peers, ...curator.elections],
    },
    options,
  );
}

/** Runs the benchmark on a broker. */
export async function crashProvedOnKafka(options: CrashProvedOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const brokers = environment.brokers.join();
  const topics = new Map<string, string>();
  return await crashProved(
    {
      name: 'kafka-crash-proved',
      place: environment.name,
      url(group) {
        const topic = topics.get(group) ?? environment.named('crash-proved');
        topics.set(group, topic);
        return `kafka://${brokers}/${topic}?topic=${topic}`;
      },
      peers: [],
    },
    options,
  );
}
