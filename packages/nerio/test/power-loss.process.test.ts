// Members in processes of their own store their state on a file system that records every change.
// The power of all their machines may fail after each change; then members start on the synced
// data.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@leadership/testkit/adapter';
import {
  CrashDisk,
  freePorts,
  type Loss,
  losses,
  type MemberEvent,
} from '@leadership/testkit/faults';
import { contentOf } from '@leadership/testkit/internal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nerioLeadership, tcpTransport } from '../src/index.ts';
import { stateStoreIn } from '../src/source/state-store.ts';
import type { StoredState } from '../src/source/stored-state.ts';
import { meshOf, thresholdMs } from './support/mesh.ts';
import { type RecordedCall, recordingMount } from './support/recording-mount.ts';

const names = ['m1', 'm2', 'm3'];
const quorum = 2;
/** The number of successive terms. */
const terms = 4;
/** The number of stores that are opened at the same time, and in all. */
const [atOnce, storesMax] = [4, 24];
/** A rename over another file is atomic, so the old name is never lost without the new one. */
const possible = losses.filter((loss) => loss !== 'added-names');

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
});
afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));

/** The data after a power loss, and the members' knowledge before it. */
interface Crash {
  readonly moment: string;
  readonly left: string;
  /** The greatest token of a term that had begun. */
  readonly known: bigint;
  /** The member that certainly led at that moment, if any. */
  readonly leader: string | undefined;
}

/** Three members lead one after the other with their state below `mount`, and are killed. */
async function lead(mount: string): Promise<readonly MemberEvent[]> {
  await using mesh = await meshOf(names.length, {
    query: (_state, name) => `?stateDirectory=${encodeURIComponent(join(mount, name))}`,
  });
  await Promise.all(names.map((name) => mesh.start(name)));
  let leader = await mesh.leader();
  await mesh.grant(names);
  for (let term = 1; term < terms; term += 1) {
    mesh.member(leader.member).resign(0);
    leader = await mesh.leader(leader.atNs);
  }
  await Promise.all(names.map((name) => mesh.member(name).kill()));
  return mesh.events();
}

/** The member that led throughout the period; it may have led for longer. */
function leaderThroughout(
  events: readonly MemberEvent[],
  fromNs: bigint,
  untilNs: bigint,
): string | undefined {
  const begun = events.filter(({ kind, atNs }) => kind === 'acquired' && atNs <= fromNs);
  const led = begun.find(({ member, token, life }) =>
    events.some(
      (event) =>
        event.member === member &&
        event.life === life &&
        event.token === token &&
        ((event.kind === 'prolonged' && event.atNs >= untilNs) ||
          (event.ledNs !== undefined && event.ledNs >= untilNs)),
    ),
  );
  return led?.member;
}

/** Writes the data after every power loss after every change. */
async function crashesOf(
  mount: string,
  calls: readonly RecordedCall[],
  events: readonly MemberEvent[],
): Promise<readonly Crash[]> {
  const disk = new CrashDisk(mount);
  const crashes: Crash[] = [];
  for (const [index, call] of calls.entries()) {
    disk.apply(call);
    const untilNs = calls[index + 1]?.atNs ?? call.atNs;
    const begun = events.filter(({ kind, atNs }) => kind === 'acquired' && atNs <= untilNs);
    const known = begun.reduce(
      (greatest, { token = 0n }) => (token > greatest ? token : greatest),
      0n,
    );
    const leave = async (loss: Loss): Promise<void> => {
      const left = await mkdtemp(join(home, 'left-'));
      disk.leave(loss, left);
      const moment = `change ${index}, ${call.name} ${call.args[0]}, ${loss} lost`;
      crashes.push({ moment, left, known, leader: leaderThroughout(events, call.atNs, untilNs) });
    };
    for (const loss of possible) await leave(loss);
  }
  return crashes;
}

/** Reads each member's image; an error for a torn one. */
async function imagesIn(left: string): Promise<readonly (StoredState | undefined | Error)[]> {
  return Promise.all(
    names.map((name) =>
      stateStoreIn(join(left, name), 'mesh', name)
        .read()
        .catch((error: Error) => error),
    ),
  );
}

/** The lost data on which members had relied. */
async function lostIn({ left, moment, known, leader }: Crash): Promise<readonly string[]> {
  const images = await imagesIn(left);
  const grants = images.map((image) =>
    image instanceof Error ? undefined : image?.memory?.grants[0],
  );
  const knowing = grants.filter((grant) => (grant?.token ?? 0n) >= known).length;
  const bound = grants.filter(
    (grant) => grant?.holder?.member === leader && (grant?.leftMs ?? 0) > 0,
  ).length;
  const wrongs = images
    .filter((image) => image instanceof Error)
    .map(({ message }) => `${moment}: ${message}`);
  if (known > 0n && knowing < quorum)
    wrongs.push(`${moment}: ${knowing} voters know token ${known}`);
  if (leader !== undefined && bound < quorum)
    wrongs.push(`${moment}: ${bound} voters remember their grant to ${leader}`);
  return wrongs;
}

/** Starts all members on the data until one leads. Returns the violations. */
async function restart({ left, moment, known }: Crash): Promise<readonly string[]> {
  const ports = await freePorts(names.length);
  const addresses = Object.fromEntries(
    names.map((name, index) => [name, `127.0.0.1:${ports[index]}`]),
  );
  const sources = names.map((member, index) =>
    nerioLeadership({
      group: 'mesh',
      member,
      members: names,
      partitions: 1,
      thresholdMs,
      log: false,
      stateDirectory: join(left, member),
      transport: tcpTransport({
        listen: { host: '127.0.0.1', port: ports[index] ?? 0 },
        addresses,
      }),
    }),
  );
  const wrongs: string[] = [];
  const look = (): readonly bigint[] => {
    const tokens = sources
      .map((source) => source.role(0).term()?.token)
      .filter((token) => token !== undefined);
    if (tokens.length > 1) wrongs.push(`${moment}: ${tokens.length} lead at once`);
    return tokens;
  };
  let token = 0n;
  const leads = (): boolean => {
    [token = 0n] = look();
    return token > 0n;
  };
  try {
    await eventually(`one leads after ${moment}`, leads);
    if (token <= known) wrongs.push(`${moment}: token ${token} after ${known}`);
    return wrongs;
  } finally {
    await Promise.all(sources.map((source) => source.close()));
  }
}

/**
 * A sample of the different stores, spread over the whole run. If the same store occurs after
 * several terms, the latest term counts: it requires more.
 */
async function someOf(crashes: readonly Crash[]): Promise<readonly Crash[]> {
  const stores = new Map<string, Crash>();
  for (const crash of crashes) stores.set(await contentOf(crash.left), crash);
  const all = [...stores.values()];
  const step = Math.max(1, all.length / storesMax);
  return all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

test('after a power loss at any moment no grant of a leader is forgotten, no two members lead, and tokens grow', async (context) => {
  const path = join(home, 'mount');
  await using mount = await recordingMount(path);
  if (mount === undefined)
    return context.skip(
      'this machine does not permit FUSE mounts: power losses under real members are not tested',
    );
  const events = await lead(path);
  const calls = await mount.unmount();
  const crashes = await crashesOf(path, calls, events);
  const opened = await someOf(crashes);
  const lost: string[] = [];
  // Reading clears what an interrupted write left, so this follows the choice of stores.
  for (const crash of crashes) lost.push(...(await lostIn(crash)));
  expect(lost).toEqual([]);
  const wrongs: string[] = [];
  for (let index = 0; index < opened.length; index += atOnce)
    wrongs.push(...(await Promise.all(opened.slice(index, index + atOnce).map(restart))).flat());
  expect(wrongs).toEqual([]);
  const led = crashes.filter(({ leader }) => leader !== undefined).length;
  console.log(
    `${calls.length} changes, ${crashes.length} crashes, ${led} under a leader, ${opened.length} stores started on`,
  );
  expect(led).toBeGreaterThan(20);
});
