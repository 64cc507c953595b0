// A child process of gossip-convergence and gossip-messages: several members, which report when the
// values that others publish arrive, and count the bytes of their datagrams.
import { Socket } from 'node:dgram';
import {
  type GossipListener,
  type GossipMember,
  type OpenGossip,
  type ScuttlebuttSource,
  scuttlebuttLeadership,
  udpTransport,
} from '@leadership/scuttlebutt';
import { inputOf, nowNs, report } from '@leadership/tools/processes';
import { filter, firstValueFrom } from 'rxjs';
import type { FleetCommand, FleetInput, FleetMessage } from '../cost/crowd.ts';

/** The key that members publish. Keys of the application have a prefix on their way. */
const key = 'news';
const sentKey = `/${key}`;

const { members, ...options } = inputOf<FleetInput>();
/** By value: how many members of this process lack it. */
const lacking = new Map<string, number>();
let [datagrams, bytes] = [0, 0];
countDatagrams();

const sources = new Map<string, ScuttlebuttSource>();
const complete: Promise<unknown>[] = [];
for (const member of members) {
  const transport = observed(udpTransport());
  const own = { group: 'bench', member, partitions: 1, transport };
  const source = scuttlebuttLeadership({ ...options, ...own });
  sources.set(member, source);
  // No subscription remains: the benchmarks do not measure what an observer of the members costs.
  complete.push(firstValueFrom(source.members$.pipe(filter(isComplete))));
}
void Promise.all(complete).then(() => report<FleetMessage>({ kind: 'complete' }));

function isComplete(all: ReadonlyMap<string, GossipMember>): boolean {
  return all.size === options.membersMax && [...all.values()].every(({ alive }) => alive);
}

process.on('disconnect', () => process.exit());
process.on('message', (command: FleetCommand) => {
  if (command.kind === 'set') return sources.get(command.member)?.set(key, command.value);
  const { user, system } = process.cpuUsage();
  const count = { datagrams, bytes, cpuMs: (user + system) / 1000, atMs: performance.now() };
  return void report<FleetMessage>({ kind: 'count', ...count });
});

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

/** Reports a value once every member of this process but its writer has received it. */
function arrived(value: string): void {
  const [writer = ''] = value.split(' ');
  const others = members.length - (members.includes(writer) ? 1 : 0);
  const left = (lacking.get(value) ?? others) - 1;
  lacking.set(value, left);
  if (left === 0) void report<FleetMessage>({ kind: 'received', value, atNs: nowNs() });
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
