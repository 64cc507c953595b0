import { type BrokerFiles, type BrokerProcess, brokerProcess } from './broker-process.ts';
import type { KafkaBroker } from './cluster.ts';

/** Starts and ends the processes of one broker, one after the other. */
export interface BrokerControl
  extends Pick<KafkaBroker, 'isRunning' | 'kill' | 'stop' | 'pause' | 'resume'> {
  /**
   * Starts a process. Resolves once it serves clients. If the signal aborts, kills the process and
   * rejects.
   */
  start(signal?: AbortSignal): Promise<void>;
  /**
   * Runs `work` while the process is paused, so that it writes nothing, and resumes the process
   * afterwards.
   */
  whilePaused<T>(work: () => Promise<T>): Promise<T>;
}

type State =
  | { readonly kind: 'down' }
  | { readonly kind: 'up' | 'paused'; readonly process: BrokerProcess };

/** Returns the control of a broker with these files, which does not run yet. */
export function brokerControl(files: BrokerFiles): BrokerControl {
  let state: State = { kind: 'down' };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (state.kind === 'down') return;
    const { process } = state;
    process.signal(signal);
    // A paused process handles SIGTERM only after SIGCONT.
    process.signal('SIGCONT');
    await process.exited;
  };
  const pause = (): void => {
    if (state.kind === 'down') throw new Error(`broker ${files.id} is not running`);
    state.process.signal('SIGSTOP');
    state = { kind: 'paused', process: state.process };
  };
  const resume = (): void => {
    if (state.kind !== 'paused') return;
    state.process.signal('SIGCONT');
    state = { kind: 'up', process: state.process };
  };
  const begin = (): BrokerProcess => {
    if (state.kind !== 'down') throw new Error(`broker ${files.id} is already running`);
    const process = brokerProcess(files);
    state = { kind: 'up', process };
    void process.exited.then(() => {
      state = { kind: 'down' };
    });
    return process;
  };
  return {
    get isRunning() {
      return state.kind !== 'down';
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    pause,
    resume,
    start: (signal) => served(begin, signal),
    async whilePaused(work) {
      if (state.kind !== 'up') return work();
      pause();
      try {
        return await work();
      } finally {
        resume();
      }
    },
  };
}

async function served(begin: () => BrokerProcess, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const process = begin();
  const kill = (): void => process.signal('SIGKILL');
  signal?.addEventListener('abort', kill);
  try {
    await process.serving;
  } catch (error) {
    kill();
    await process.exited;
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', kill);
  }
}
