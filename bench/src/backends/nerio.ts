// The Nerio backend as the benchmarks of elections use it: members of this host, all of which vote.
// A round trip is the bytes of a request over TCP to another process and back. T, the length of a
// lease, is what the papers on Nerio call δ.
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePorts } from '@leadership/testkit/faults';
import { startHelper } from '../measure/own-process.ts';
import type { Backend, RoundTrip } from './backend.ts';

/** The size of a request of the protocol, in bytes. */
const messageBytes = 96;

/** Members of this host, all of which vote. */
export const nerio: Backend = {
  name: 'nerio',
  isOffered: () => Promise.resolve(true),
  failover: {
    thresholds: 1.05,
    halfThresholds: 0.8,
    // A new member grants nothing for δ, because it does not know its previous grants.
    rest: { least: 4 / 3, spread: 1 },
  },
  handover: {
    members: 3,
    by: 'p50',
    // Four turns of an event loop on a busy machine.
    limit: { roundTrips: 1, slackMs: 4 },
    roundTrip: { what: 'one bare round trip between two processes, over TCP', count: 4 },
  },
  async open({ members }) {
    const names = await addresses(members);
    let echo: Promise<Echo> | undefined;
    return {
      place: `${members} members of one host`,
      names,
      address: (group) => ({ url: `nerio://${names.join()}/${group}` }),
      async roundTrip() {
        echo ??= openEcho();
        return (await echo).roundTrip();
      },
      async [Symbol.asyncDispose]() {
        await (await echo)?.[Symbol.asyncDispose]();
      },
    };
  },
};

/** Resolves with free addresses of this host, which are names of members. */
export async function addresses(count: number): Promise<readonly string[]> {
  return (await freePorts(count)).map((port) => `127.0.0.1:${port}`);
}

interface Echo extends AsyncDisposable {
  roundTrip(): Promise<RoundTrip>;
}

async function openEcho(): Promise<Echo> {
  const program = new URL('../programs/tcp-echo.js', import.meta.url);
  const helper = startHelper<{ readonly port: number }>(program);
  const { port } = await helper.next();
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  return {
    async roundTrip() {
      const began = performance.now();
      socket.write(Buffer.alloc(messageBytes));
      for (let received = 0; received < messageBytes; )
        received += ((await once(socket, 'data')) as [Buffer])[0].length;
      return { ms: performance.now() - began };
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await helper[Symbol.asyncDispose]();
    },
  };
}
