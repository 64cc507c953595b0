import { join } from 'node:path';
import type { TcpProxy } from '@leadership/testkit/faults';
import { brokerControl } from './broker-control.ts';
import type { BrokerFiles } from './broker-process.ts';
import type { DataCopy, KafkaBroker } from './cluster.ts';
import { copyAside, restore } from './data-copy.ts';
import { dataFolder } from './server-properties.ts';

/** The files, the address and the proxy of a local broker. */
export interface LocalBrokerParts extends BrokerFiles {
  readonly folder: string;
  readonly direct: string;
  readonly proxy: TcpProxy | undefined;
}

/** A broker in a child process. It does not run at first. */
export interface LocalBroker extends KafkaBroker {
  start(signal?: AbortSignal): Promise<void>;
}

/** Returns a broker that can be started from `parts`. */
export function localBroker(parts: LocalBrokerParts): LocalBroker {
  const { id, direct, proxy, folder } = parts;
  const control = brokerControl(parts);
  const data = dataFolder(folder);
  const putBack = async (copy: string): Promise<void> => {
    if (control.isRunning)
      throw new Error(`broker ${id} is running: stop or kill it before its data is restored`);
    await restore(data, copy);
  };
  return {
    id,
    direct,
    proxy,
    get isRunning() {
      return control.isRunning;
    },
    kill: control.kill,
    stop: control.stop,
    pause: control.pause,
    resume: control.resume,
    start: control.start,
    async copyData(): Promise<DataCopy> {
      const copy = await control.whilePaused(() => copyAside(data, join(folder, 'copies')));
      return { putBack: () => putBack(copy) };
    },
  };
}
