// Prepares the backend that the demo runs on, by the scheme of its URL: a directory, a topic, a
// table, or ports for members that vote.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@leadership/testkit/faults';
import { diskAnswers } from './disk-answers.ts';
import type { Environment } from './environment.ts';
import { kafkaEnvironment } from './kafka-environment.ts';
import { kinesisEnvironment } from './kinesis-environment.ts';
import { memberNames, observerName } from './member-names.ts';

/** Opens the environment of each backend. The signal aborts an opening that takes long. */
export const environments: Readonly<Record<string, (signal: AbortSignal) => Promise<Environment>>> =
  { file, kafka: kafkaEnvironment, kinesis: kinesisEnvironment, nerio, gossip };

/** Members that share a directory. */
function file(): Promise<Environment> {
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
async function nerio(): Promise<Environment> {
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
async function gossip(): Promise<Environment> {
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

/** Opens an environment whose members write to a new directory, and removes that. */
async function inDirectory(
  environment: (directory: string) => Omit<Environment, keyof AsyncDisposable>,
): Promise<Environment> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-demo-'));
  const answers = diskAnswers(directory);
  return {
    ...environment(directory),
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
