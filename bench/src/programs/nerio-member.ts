// A child process of the Nerio benchmarks: one member, which reports its terms, counts the frames
// that it sends, and executes commands.
import { nerioLeadership, type OpenTransport, tcpTransport } from '@leadership/nerio';
import { inputOf, report } from '@leadership/tools/processes';
import type { MemberCommand, MemberInput, MemberReport } from '../nerio/member.ts';
import { reportStates, resignAndReport } from '../process/member-messages.ts';

const { addresses, member, thresholdMs, partitions } = inputOf<MemberInput>();
let frames = 0;
const transport = counted(tcpTransport({ addresses }));
const source = nerioLeadership({
  group: 'bench',
  members: Object.keys(addresses),
  member,
  thresholdMs,
  partitions,
  transport,
});
const send = (message: MemberReport): void => void report<MemberReport>(message);

reportStates(source, partitions);
process.on('message', (command) => void execute(command as MemberCommand));
process.on('disconnect', () => process.exit());
// Do not wait for `source.ready()`: it needs a quorum, so it depends on the other members.
send({ kind: 'ready' });

async function execute({ kind }: MemberCommand): Promise<void> {
  if (kind === 'sent') return send({ kind, frames, leads: source.held().size });
  return resignAndReport(source);
}

/** Counts frames: messages to the same member within one turn of the event loop share a frame. */
function counted(open: OpenTransport): OpenTransport {
  const addressed = new Set<string>();
  const note = (to: string): void => {
    if (addressed.size === 0) queueMicrotask(() => addressed.clear());
    if (!addressed.has(to)) frames += 1;
    addressed.add(to);
  };
  return (parts) => {
    const transport = open(parts);
    return {
      reach: (members) => transport.reach(members),
      enter: (epoch) => transport.enter(epoch),
      send(to, message) {
        note(to);
        transport.send(to, message);
      },
      isReached: (other) => transport.isReached(other),
      get dropped() {
        return transport.dropped;
      },
      close: () => transport.close(),
    };
  };
}
