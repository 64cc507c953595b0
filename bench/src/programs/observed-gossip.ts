// A backend for members of gossip-convergence and gossip-messages: gossip that counts its datagrams,
// and reports when a member knows all others and when published values arrive. With `?spreadMs=MS`
// in the URL of this module, each member publishes one value, at a random moment of that period,
// which begins some rounds after the member knows all others.
import { Socket } from 'node:dgram';
import type { BackendModule } from '@leadership/core/adapter';
import {
  type GossipListener,
  backend as gossip,
  type OpenGossip,
  type ScuttlebuttOptions,
  type ScuttlebuttSource,
  udpTransport,
} from '@leadership/scuttlebutt';
import { filter, firstValueFrom } from 'rxjs';
import { logMeasured, logTotals } from './measured.ts';

/** The key that members publish. Keys of the application have a prefix on their way. */
const key = 'value';
const sentKey = `/${key}`;
/** The rounds in which every member learns of all others once one does. */
const learningRounds = 6;

const spreadMs = Number(new URL(import.meta.url).searchParams.get('spreadMs'));
const members = new Set<string>();
/** By value: how many members of this process lack it. */
const lacking = new Map<string, number>();
let [datagrams, bytes] = [0, 0];
countDatagrams();
logTotals(() => {
  const { user, system } = process.cpuUsage();
  return { datagrams, bytes, cpuMs: (user + system) / 1000 };
});

/** Gossip whose messages are observed. */
export const backend: BackendModule = {
  ...gossip,
  open(address, options) {
    const observing: Partial<ScuttlebuttOptions> = {
      ...options,
      transport: observed(udpTransport()),
    };
    const source = gossip.open(address, observing) as ScuttlebuttSource;
    members.add(source.member);
    const { membersMax, intervalMs } = address.parameters;
    // No subscription remains: the benchmarks do not measure what an observer of the members costs.
    const complete = source.liveness$.pipe(
      filter((all) => all.size === membersMax && [...all.values()].every(({ alive }) => alive)),
    );
    void firstValueFrom(complete).then(() => {
      logMeasured({ complete: source.member });
      if (spreadMs > 0)
        setTimeout(
          () => {
            logMeasured({ published: source.member });
            source.set(key, source.member);
          },
          learningRounds * Number(intervalMs) + Math.random() * spreadMs,
        );
    });
    return source;
  },
};

/** Reports values when they arrive: a source publishes them once per round only. */
function observed(open: OpenGossip): OpenGossip {
  return (place, listener) => {
    const seen = new Set<string>();
    return open(place, {
      received(message, isProved) {
        listener.received(message, isProved);
        for (const value of valuesIn(message)) if (!seen.has(value)) arrived(value);
        for (const value of valuesIn(message)) seen.add(value);
      },
      dropped: (why) => listener.dropped(why),
      failed: (member, error) => listener.failed(member, error),
      streamed: (member, error) => listener.streamed(member, error),
      unresolved: (member, error) => listener.unresolved(member, error),
      keys: (error) => listener.keys(error),
    });
  };
}

function valuesIn({ body }: Parameters<GossipListener['received']>[0]): readonly string[] {
  if (body.kind === 'digest') return [];
  const entries = body.deltas.flatMap((delta) => delta.entries);
  return entries.flatMap((entry) => (entry.key === sentKey && entry.value ? [entry.value] : []));
}

/**
 * Reports a value once every member of this process but its writer has received it. A value is the
 * name of its writer.
 */
function arrived(value: string): void {
  const others = members.size - Number(members.has(value));
  const left = (lacking.get(value) ?? others) - 1;
  lacking.set(value, left);
  if (left === 0) logMeasured({ received: value });
}

/** Counts what the sockets of this process send. */
function countDatagrams(): void {
  const send = Socket.prototype.send as (...args: unknown[]) => void;
  Socket.prototype.send = function counted(this: Socket, ...args: unknown[]): void {
    datagrams += 1;
    bytes += (args[0] as Uint8Array).length;
    send.apply(this, args);
  };
}
