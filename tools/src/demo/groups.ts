// Opens the demo's group on each backend: in a new directory, on a topic or a table, or on ports of
// this host for members that vote.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@leadership/testkit/faults';
import { diskAnswers } from './answer-watch.ts';
import type { DemoGroup } from './group.ts';
import { kafkaGroup } from './kafka-group.ts';
import { kinesisGroup } from './kinesis-group.ts';
import { memberNames, observerName } from './member-names.ts';

/** Opens the group of each backend. The signal aborts an opening that takes long. */
export const groupOpeners: Readonly<Record<string, (signal: AbortSignal) => Promise<DemoGroup>>> = {
  file,
  kafka: kafkaGroup,
  kinesis: kinesisGroup,
  nerio,
  gossip,
};

/** Members that share a directory. */
function file(): Promise<DemoGroup> {
  return inDirectory((directory) => ({
    backend: 'file',
    url: `file:${encodeURI(directory)}?group=demo`,
    noCut: 'the members share a directory of this host, so there is no network',
    home: 'separate processes',
  }));
}

/**
 * Members that elect a leader among themselves, on local ports. Each member writes its votes to
 * disk, so that it may vote again at once after a restart.
 */
async function nerio(): Promise<DemoGroup> {
  const addresses = await localAddresses();
  return inDirectory((directory) => ({
    backend: 'nerio',
    url: `nerio://${votersIn(addresses)}/demo?restart=state&stateDirectory=${encodeURIComponent(directory)}`,
    observing: '&joins=true',
    addresses,
    home: 'separate processes, without a store',
  }));
}

/** Members that elect a leader among themselves by gossip, on local ports. All of them vote. */
async function gossip(): Promise<DemoGroup> {
  const addresses = await localAddresses();
  return {
    backend: 'gossip',
    url: `gossip://${votersIn(addresses)}/demo?partitions=1`,
    addresses,
    noCut: 'the demo cuts TCP connections, and these members use UDP as well',
    home: 'separate processes, without a store',
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Opens a group whose members write to a new directory, and removes that. */
async function inDirectory(
  groupIn: (directory: string) => Omit<DemoGroup, keyof AsyncDisposable>,
): Promise<DemoGroup> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-demo-'));
  const answers = diskAnswers(directory);
  return {
    ...groupIn(directory),
    answers,
    async [Symbol.asyncDispose]() {
      answers[Symbol.dispose]();
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Returns a free address of this host for each member, and for the demo's own source. */
async function localAddresses(): Promise<Readonly<Record<string, string>>> {
  const names = [...memberNames, observerName];
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, `127.0.0.1:${ports[index]}`]));
}

/** Returns the addresses of those that vote, as in the URL of a group. */
function votersIn(addresses: Readonly<Record<string, string>>): string {
  return memberNames.map((name) => addresses[name]).join();
}
