// Walks "See it in five minutes" of docs/how-to/see-who-leads.md as a new user would: its lines, as they
// are printed, in a shell in an empty folder, with the command of the packed packages.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@leadership/testkit/faults';

const page = resolve(import.meta.dirname, '../../../docs/how-to/see-who-leads.md');
/** How long the whole walk may take. Milliseconds. */
const walkMs = 300_000;
/** The interval between two requests to the page. Milliseconds. */
const requestMs = 200;
const portOfPage = 8123;

/** The parts of the page's state that the walk promises. */
interface Shown {
  readonly members: readonly string[];
  /** The roles that share a partition. */
  readonly roles: readonly string[];
  readonly leader: string | undefined;
  /** How terms have ended. */
  readonly ends: readonly string[];
}

/** Walks it. Resolves with what took how long, in words; rejects with what the page did not show. */
export async function runWalk(node: string, project: string): Promise<string> {
  const { start, handOver, end } = await linesOfWalk();
  const folder = join(project, 'walk');
  await mkdir(folder);
  const [port = 0] = await freePorts(1);
  const beganAt = performance.now();
  const signal = AbortSignal.timeout(walkMs);
  const path = [join(project, 'node_modules/.bin'), dirname(node), process.env['PATH']];
  const shell = spawn('bash', {
    cwd: folder,
    env: { ...process.env, PATH: path.join(delimiter), LEADERSHIP_RUN_DIR: folder },
  });
  const printed = outputOf(shell);
  const awaited = async (what: string, isShown: (shown: Shown) => boolean): Promise<Shown> => {
    for (;;) {
      const shown = await shownAt(port, signal).catch(() => undefined);
      if (shown && isShown(shown)) return shown;
      if (signal.aborted)
        throw new Error(`the page does not show ${what}: ${JSON.stringify(shown)}\n${printed()}`);
      await pause(requestMs);
    }
  };
  try {
    shell.stdin.write(start.replace(String(portOfPage), String(port)));
    const { leader: first } = await awaited(
      'three members and two roles in one partition',
      ({ members, roles, leader }) =>
        members.join() === 'one,three,two' &&
        roles.join() === 'invoices,reports' &&
        leader !== undefined,
    );
    const shownMs = performance.now() - beganAt;
    shell.stdin.write(handOver);
    const { leader: second } = await awaited(
      'a hand-over',
      ({ leader, ends }) => ends.includes('handed-over') && leader !== undefined,
    );
    while (!/^three +.*\d+ s\)$/m.test(printed())) {
      if (signal.aborted) throw new Error(`status prints no members:\n${printed()}`);
      await pause(requestMs);
    }
    const seconds = [shownMs, performance.now() - beganAt].map((ms) => (ms / 1000).toFixed(1));
    return `        shown after ${seconds[0]} s: three members, two roles; after ${seconds[1]} s: handed over by ${first} to ${second}`;
  } finally {
    shell.stdin.end(`\n${end}\nwait\n`);
    await once(shell, 'close');
  }
}

/** The lines of the page: those that start the members, that hand over, and that end all. */
async function linesOfWalk(): Promise<Record<'start' | 'handOver' | 'end', string>> {
  const text = await readFile(page, 'utf8');
  const [, section = ''] = /^## See it in five minutes\n([\s\S]*?)^## /m.exec(text) ?? [];
  const [start, handOver] = Array.from(
    section.matchAll(/^```sh\n([\s\S]*?)^```/gm),
    ([, lines = '']) => lines,
  );
  const [, end] = /`(kill %1[^`]*)`/.exec(section) ?? [];
  if (start === undefined || handOver === undefined || end === undefined)
    throw new Error(`${page} has no walk with two blocks of commands and a line that ends it`);
  return { start, handOver, end };
}

/** Returns what the shell and all that it starts have printed so far. */
function outputOf(shell: ChildProcessWithoutNullStreams): () => string {
  let output = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return () => output;
}

/** Reads the state that the page at that port receives first. */
async function shownAt(port: number, signal: AbortSignal): Promise<Shown> {
  const response = await fetch(`http://127.0.0.1:${port}/?events`, { signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (reader && !text.includes('\n\n')) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader?.cancel();
  const [, message = '{}'] = /^data: (.*)$/m.exec(text) ?? [];
  const { parts } = JSON.parse(message) as { readonly parts: Readonly<Record<string, Part>> };
  const of = (kind: string): readonly Part[] =>
    Object.entries(parts).flatMap(([name, part]) => (name.startsWith(`${kind} `) ? [part] : []));
  const shared = of('partition').find(({ roles = [] }) => roles.length > 0);
  return {
    members: of('member').flatMap(({ name = '' }) => name),
    roles: (shared?.roles ?? []).toSorted(),
    leader: shared?.member,
    ends: of('term').flatMap(({ ended = [] }) => ended),
  };
}

/** The fields that the walk reads of a part of the state. */
interface Part {
  readonly name?: string;
  readonly member?: string;
  readonly roles?: readonly string[];
  readonly ended?: string;
}
