// The program beside which `idle-cost` measures an idle member: a bare loop that makes the
// file-system calls of a trace, each at its time. Calls on the same path run one after the other
// and all others concurrently, as in the traced member.
import { type FileHandle, default as promises } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Call } from './trace.ts';

type Method = (...args: unknown[]) => Promise<unknown>;

/**
 * A call that is due within this many milliseconds is made at once, because timers have a
 * resolution of one millisecond.
 */
const graceMs = 1;

/** An open file and its path. */
interface Opened {
  readonly path: string;
  file?: FileHandle;
}

/**
 * Makes the calls. Resolves with the number of calls that failed: because their order changed, or
 * because they failed in the traced member too.
 */
export async function replay(calls: readonly Call[], beganAt: number): Promise<number> {
  const queues = new Map<string, Promise<unknown>>();
  const files = new Map<number, Opened>();
  let failed = 0;
  const fail = (): void => {
    failed += 1;
  };
  for (const call of calls) {
    const waitMs = call.atMs - (performance.now() - beganAt);
    if (waitMs > graceMs) await pause(waitMs);
    const opened = openedBy(call, files);
    const paths = opened ? [opened.path] : pathsOf(call);
    const before = Promise.all(paths.map((path) => queues.get(path)));
    const turn = before.then(() => make(call, opened)).catch(fail);
    for (const path of paths) queues.set(path, turn);
  }
  await Promise.all(queues.values());
  return failed;
}

function openedBy({ name, handle, args }: Call, files: Map<number, Opened>): Opened | undefined {
  if (handle === undefined) return undefined;
  if (name === 'open') files.set(handle, { path: String(args[0]) });
  return files.get(handle);
}

/** Returns the paths that a call concerns: two for `link` and `rename`, otherwise one. */
function pathsOf({ name, args }: Call): readonly string[] {
  return args.slice(0, name === 'link' || name === 'rename' ? 2 : 1).map(String);
}

async function make({ name, args }: Call, opened: Opened | undefined): Promise<void> {
  if (name === 'open' && opened)
    opened.file = await promises.open(...(args as Parameters<typeof promises.open>));
  else if (opened)
    await methodOf(
      opened.file,
      name,
    )(
      ...args.map((arg, at) =>
        name === 'read' && at === 0 ? Buffer.allocUnsafe(Number(arg)) : arg,
      ),
    );
  else await methodOf(promises, name)(...args);
}

function methodOf(of: object | undefined, name: string): Method {
  const method = (of as Record<string, Method> | undefined)?.[name];
  if (method === undefined)
    throw new RangeError(`cannot replay ${name}: it is not a function of node:fs/promises`);
  return method.bind(of);
}
