import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { TemporaryDirectory } from '../backends/temporary-directory.ts';
import { command, type Distribution } from './distribution.ts';

/** The files from which a broker is started. */
export interface BrokerFiles {
  readonly id: number;
  readonly distribution: Distribution;
  /** The path of its server.properties. */
  readonly settings: string;
  /**
   * The temporary directory, in which the process is registered so that it does not outlive this
   * process.
   */
  readonly directory: TemporaryDirectory;
}

/** A broker's process. */
export interface BrokerProcess {
  /** Resolves once the broker serves clients. Rejects with its log if it does not. */
  readonly serving: Promise<void>;
  /** Resolves once the process has ended. */
  readonly exited: Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

/** Enables the log message that the broker has started. */
const announcing = '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info';

/** The last log message of a start. */
const isUp = 'Kafka Server started';

/**
 * Timeout for the start, in milliseconds. An idle machine needs two seconds, and nine more after a
 * crash; a starved one much longer.
 */
const timeoutMs = 90_000;

/** The number of last log lines that an error contains. */
const shown = 40;

/** Starts a broker. */
export function brokerProcess({
  id,
  distribution,
  settings,
  directory,
}: BrokerFiles): BrokerProcess {
  const flags = [...distribution.flags, announcing];
  const child = spawn(...command({ ...distribution, flags }, 'kafka.Kafka', settings), {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const note = child.pid === undefined ? undefined : directory.occupy(child.pid);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() =>
    note?.[Symbol.dispose](),
  );
  return {
    serving: serving(child, `broker ${id}`),
    exited,
    signal: (signal) => void child.kill(signal),
  };
}

function serving(child: ChildProcess, name: string): Promise<void> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new Error([`${name} ${why}; its log:`, ...lines].join('\n  ')));
    const timer = setTimeout(() => fail(`did not serve within ${timeoutMs} ms`), timeoutMs);
    child.once('error', (error) => fail(`cannot be started: ${error.message}`));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      fail(`ended before it served (${signal ?? `exit code ${code}`})`);
    });
    if (child.stderr === null) return;
    // Read until the process ends, because a full pipe would block the broker.
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (lines.length > shown) lines.shift();
      if (!line.endsWith(isUp)) return;
      clearTimeout(timer);
      resolve();
    });
  });
}
