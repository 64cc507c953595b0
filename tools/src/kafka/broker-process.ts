import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { KeptFolder } from '../backends/kept-folder.ts';
import { command, type Distribution } from './distribution.ts';

/** What a broker is started from. */
export interface BrokerFiles {
  readonly id: number;
  readonly distribution: Distribution;
  /** Its server.properties. */
  readonly settings: string;
  /** Told of the process, so that it does not outlive this one. */
  readonly kept: KeptFolder;
}

/** A broker's process. */
export interface BrokerProcess {
  /** Resolves once it serves clients; rejects with what it logged where it does not. */
  readonly serving: Promise<void>;
  /** Resolves once it has ended. */
  readonly gone: Promise<void>;
  tell(signal: NodeJS.Signals): void;
}

/** Logs the one line that says it is up. */
const announcing = '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info';

/** What a broker that serves clients logs last. */
const isUp = 'Kafka Server started';

/** For a starved machine: an idle one takes two seconds, and nine more after a crash. Milliseconds. */
const patienceMs = 90_000;

/** So many of the last lines are shown with a complaint. */
const shown = 40;

/** Starts a broker. */
export function brokerProcess({ id, distribution, settings, kept }: BrokerFiles): BrokerProcess {
  const flags = [...distribution.flags, announcing];
  const child = spawn(...command({ ...distribution, flags }, 'kafka.Kafka', settings), { stdio: ['ignore', 'ignore', 'pipe'] });
  const note = child.pid === undefined ? undefined : kept.occupy(child.pid);
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => note?.[Symbol.dispose]());
  return { serving: serving(child, `broker ${id}`), gone, tell: (signal) => void child.kill(signal) };
}

function serving(child: ChildProcess, name: string): Promise<void> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error([`${name} ${why}; it said:`, ...lines].join('\n  ')));
    const timer = setTimeout(() => fail(`did not serve within ${patienceMs} ms`), patienceMs);
    child.once('error', (error) => fail(`cannot be started: ${error.message}`));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      fail(`ended before it served (${signal ?? `exit code ${code}`})`);
    });
    if (child.stderr === null) return;
    // Read on for as long as it lives: a broker whose complaints nobody takes would block.
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (lines.length > shown) lines.shift();
      if (!line.endsWith(isUp)) return;
      clearTimeout(timer);
      resolve();
    });
  });
}
