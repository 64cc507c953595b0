// An application under `leadership guard`. It leads a role of one or more groups, and notes each
// moment at which it leads, together with the deadline of its lease. Arguments: the directory, its
// name, how it runs (`main`, `thread` or `cluster`), and the URLs of its groups. It obeys the file
// `NAME.order` in the directory.
import cluster from 'node:cluster';
import {
  appendFileSync,
  closeSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';
import { openLeadership } from '@leadership/core';

const [directory, name, place, ...urls] = process.argv.slice(2);

function note(kind, group, term) {
  // Read before the rest of the lease, so that the deadline is never too late.
  const atNs = process.hrtime.bigint();
  const untilNs = atNs + BigInt(Math.round((term?.remainingMs() ?? 0) * 1e6));
  const line = { kind, name, group, pid: process.pid, token: String(term?.token ?? 0) };
  const times = { atNs: String(atNs), untilNs: String(untilNs) };
  appendFileSync(join(directory, 'journal'), `${JSON.stringify({ ...line, ...times })}\n`);
}

/** Returns the descriptors of the open Unix sockets, and at which path each listens. */
function sockets() {
  const bound = new Map(
    readFileSync('/proc/net/unix', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/ +/))
      .map((columns) => [columns[6], columns[7]]),
  );
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(fd) ?? '')?.[1];
    return inode !== undefined && bound.has(inode)
      ? [{ fd: Number(fd), path: bound.get(inode) }]
      : [];
  });
}

function linkOf(fd) {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

async function lead(url) {
  const before = new Set(sockets().map(({ fd }) => fd));
  const source = await openLeadership(url, { member: name, log: false });
  const { group } = source;
  source
    .role('job')
    .lead(async (term) => {
      note('lead', group, term);
      // A renewal is noted soon: a test compares when the lease ends.
      let deadlineMs = 0;
      const timer = setInterval(() => {
        const endMs = performance.now() + term.remainingMs();
        if (!term.isCurrent() || endMs < deadlineMs + 5) return;
        deadlineMs = endMs;
        note('beat', group, term);
      }, 50);
      await new Promise((resolve) => term.signal.addEventListener('abort', resolve));
      clearInterval(timer);
    })
    .catch((error) => note(error.code, group));
  await source.ready();
  note('ready', group);
  // Only after the process has connected, and if the kernel's table was read in one piece.
  for (;;) {
    const own = sockets().filter(({ fd }) => !before.has(fd));
    const listener = own.find(({ path }) => path?.includes('member-'));
    const connection = own.find(({ path }) => path === undefined);
    if (own.length === 2 && listener && connection) return { source, group, listener, connection };
    if (urls.length > 1) return { source, group };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const orders = {
  exit: () => process.exit(3),
  throw() {
    throw new Error('crashed on purpose');
  },
  block({ source, group }) {
    for (const [, term] of source.held()) note('beat', group, term);
    // Longer than T of scene.ts.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 13_000);
  },
  'close-connection': ({ connection }) => closeSync(connection.fd),
  'close-listener': ({ listener }) => closeSync(listener.fd),
  unlink({ listener, connection }) {
    unlinkSync(listener.path);
    // The member still listens; without its file, no process can learn that.
    closeSync(connection.fd);
  },
  close: ({ source, group }) => source.close().then(() => note('closed', group)),
};

function obey(led) {
  const file = join(directory, `${name}.order`);
  setInterval(() => {
    if (!existsSync(file)) return;
    const order = readFileSync(file, 'utf8');
    unlinkSync(file);
    for (const one of led) orders[order](one);
  }, 20);
}

if (place === 'thread' && isMainThread) {
  const worker = new Worker(fileURLToPath(import.meta.url), { argv: process.argv.slice(2) });
  const file = join(directory, `${name}.terminate`);
  setInterval(() => existsSync(file) && worker.terminate(), 20);
} else if (place === 'cluster' && cluster.isPrimary) {
  cluster.fork();
} else {
  obey(await Promise.all(urls.map(lead)));
  process.on('SIGTERM', () => process.exit(0));
  if (isMainThread) setInterval(() => undefined, 1000);
}
