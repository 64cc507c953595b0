import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { javaProgram } from '../backends/java.ts';
import type { KeptFolder } from '../backends/kept-folder.ts';

/** What a broker is started from. */
export interface BrokerFiles {
  readonly id: number;
  /** Of jars. */
  readonly libraries: string;
  /** Its server.properties. */
  readonly settings: string;
  /** Told of the process, so that it does not outlive this one. */
  readonly kept: KeptFolder;
}

/** A broker's process, from the moment it serves clients. */
export interface BrokerProcess {
  /** Resolves once it has ended. */
  readonly gone: Promise<void>;
  tell(signal: NodeJS.Signals): void;
}

/** A heap that is enough for tests, and a machine that starts fast: measured 1.7 s instead of 2.4 s until the port is open. */
const machine = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** Only what goes wrong, and the one line that says it is up. */
const logging = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info'];

/** For a starved machine: an idle one takes two seconds. Milliseconds. */
const patienceMs = 60_000;

/** Starts a broker. Resolves once it serves clients, and rejects with what it logged where it does not. */
export async function brokerProcess({ id, libraries, settings, kept }: BrokerFiles, signal?: AbortSignal): Promise<BrokerProcess> {
  signal?.throwIfAborted();
  const args = [...machine, ...logging, '-cp', `${libraries}/*`, 'kafka.Kafka', settings];
  const child = spawn(javaProgram('java'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const note = child.pid === undefined ? undefined : kept.occupy(child.pid);
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => note?.[Symbol.dispose]());
  try {
    await serves(child, `broker ${id}`, signal);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { gone, tell: (name) => void child.kill(name) };
}

/** So many of the last lines are shown with a complaint. */
const shown = 40;

function serves(child: ChildProcess, name: string, signal: AbortSignal | undefined): Promise<void> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error([`${name} ${why}; it said:`, ...lines].join('\n  ')));
    const timer = setTimeout(() => fail(`did not serve within ${patienceMs} ms`), patienceMs);
    const abort = (): void => reject(signal?.reason);
    const settled = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    signal?.addEventListener('abort', abort);
    child.once('error', (error) => fail(`cannot be started: ${error.message}`));
    child.once('close', (code, by) => {
      settled();
      fail(`ended before it served (${by ?? `exit code ${code}`})`);
    });
    if (child.stderr === null) return;
    // Read on as long as it lives: a broker whose complaints nobody takes would block.
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (lines.length > shown) lines.shift();
      if (!line.endsWith('Kafka Server started')) return;
      settled();
      resolve();
    });
  });
}
