// The file backend as the benchmarks of elections use it: a directory of this host. A round trip is
// one write with the durability of a lease record, until another process that watches the directory
// has noticed it.
import { link, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@leadership/testkit/internal';
import { msBetween } from '../measure/ms-between.ts';
import { startHelper } from '../measure/own-process.ts';
import type { Backend, RoundTrip } from './backend.ts';

/** A file has appeared in a watched directory. The first message says that it is watched. */
export interface Noticed {
  /** Nanoseconds on the host's monotonic clock. */
  readonly atNs: string;
}

/** A temporary directory. */
export const file: Backend = {
  name: 'file',
  isOffered: () => Promise.resolve(true),
  // The p99 of the watch latency may come on top.
  failover: { thresholds: 1.05, roundTrip: { quantile: 0.99, slackMs: 0 } },
  handover: {
    members: 2,
    by: 'p99',
    limit: { roundTrips: 0, slackMs: 20 },
    roundTrip: { what: 'one write and one watch notification', count: 1 },
  },
  async open() {
    const home = await temporaryDirectory();
    let writer: Promise<Writer> | undefined;
    return {
      place: 'files of this host',
      address: (group) => ({ url: `file:${join(home.path, 'leases')}?group=${group}` }),
      async roundTrip() {
        writer ??= writerIn(join(home.path, 'bare'));
        return (await writer).write();
      },
      async [Symbol.asyncDispose]() {
        await (await writer)?.[Symbol.asyncDispose]();
        await home[Symbol.asyncDispose]();
      },
    };
  },
};

interface Writer extends AsyncDisposable {
  write(): Promise<RoundTrip>;
}

async function writerIn(directory: string): Promise<Writer> {
  await mkdir(directory);
  const program = new URL('../programs/watch.js', import.meta.url);
  const watcher = startHelper<Noticed>(program, directory);
  await watcher.next();
  let count = 0;
  return {
    async write() {
      count += 1;
      const noticed = watcher.next();
      const beganNs = process.hrtime.bigint();
      const placedNs = await writeDurably(join(directory, `${count}.json`));
      const { atNs } = await noticed;
      return { ms: msBetween(beganNs, atNs), noticeMs: msBetween(placedNs, atNs) };
    },
    [Symbol.asyncDispose]: () => watcher[Symbol.asyncDispose](),
  };
}

/**
 * Writes a file as the file backend does: under another name first, then linked once it is durable.
 * Resolves with the instant before the link.
 */
async function writeDurably(path: string): Promise<bigint> {
  const aside = `${path}.aside`;
  const handle = await open(aside, 'wx');
  await handle.writeFile('x'.repeat(300));
  await handle.datasync();
  await handle.close();
  const placedNs = process.hrtime.bigint();
  await link(aside, path);
  await unlink(aside);
  return placedNs;
}
