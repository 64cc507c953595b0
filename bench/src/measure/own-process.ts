// Calls a function of a benchmark in a process of its own, with its memory, its compiler and its
// processor time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Returns a function that calls `run` in a new process. There, the module is the main program, so
 * that it runs nothing else. The input must be serializable as JSON.
 * @param module - `import.meta.url` of the module that contains `run`
 * @param nodeOptions - options of Node, in addition to those of this process
 */
export function inOwnProcess<Input, Output>(
  module: string,
  run: (input: Input) => Promise<Output>,
  nodeOptions: readonly string[] = [],
): (input: Input) => Promise<Output> {
  const program = fileURLToPath(module);
  const [, main, name, given = ''] = process.argv;
  // Once the module has been evaluated.
  if (main === program && name === run.name) {
    process.on('disconnect', () => process.exit());
    setImmediate(async () => send(await run(JSON.parse(given) as Input)));
  }
  return async (input) => {
    const child = fork(program, [run.name, JSON.stringify(input)], {
      execArgv: [...process.execArgv, ...nodeOptions],
      serialization: 'advanced',
    });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${run.name} ended with exit code ${code}, and without a result`);
    });
    try {
      const [output] = (await Promise.race([once(child, 'message'), ended])) as [Output];
      return output;
    } finally {
      ended.catch(() => undefined);
      child.kill('SIGKILL');
    }
  };
}

function send(output: unknown): void {
  process.send?.(output, () => process.exit());
}

/** A helper process. It ends with the one that started it. */
export interface Helper<Message> extends AsyncDisposable {
  /** Resolves with its next message. */
  next(): Promise<Message>;
}

/** Starts a program that answers with messages. `input` is its only argument. */
export function startHelper<Message>(program: URL, input = ''): Helper<Message> {
  const child = fork(fileURLToPath(program), [input]);
  return {
    async next() {
      const [message] = (await once(child, 'message')) as [Message];
      return message;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
