import type { TcpProxy } from '@leadership/testkit/faults';
import { type BrokerFiles, type BrokerProcess, brokerProcess } from './broker-process.ts';
import type { KafkaBroker } from './cluster.ts';

/** What a broker of this host is. */
export interface LocalBrokerParts extends BrokerFiles {
  readonly direct: string;
  readonly proxy: TcpProxy | undefined;
}

/** A broker whose process is ours. Not running at first. */
export interface LocalBroker extends KafkaBroker {
  start(signal?: AbortSignal): Promise<void>;
}

/** A broker that can be started from `parts`. */
export function localBroker(parts: LocalBrokerParts): LocalBroker {
  let running: BrokerProcess | undefined;
  const tell = async (...signals: readonly NodeJS.Signals[]): Promise<void> => {
    for (const signal of signals) running?.tell(signal);
    await running?.gone;
  };
  return {
    id: parts.id,
    direct: parts.direct,
    proxy: parts.proxy,
    get isRunning() {
      return running !== undefined;
    },
    kill: () => tell('SIGKILL'),
    // One that is paused hears of its end only once it goes on.
    stop: () => tell('SIGTERM', 'SIGCONT'),
    pause: () => running?.tell('SIGSTOP'),
    resume: () => running?.tell('SIGCONT'),
    async start(signal) {
      if (running) throw new Error(`broker ${parts.id} is running already`);
      const started = await brokerProcess(parts, signal);
      running = started;
      void started.gone.then(() => {
        running = undefined;
      });
    },
  };
}
