// A child of the Nerio benchmarks: one member, that says what it leads, counts what it sends, and does what it is told.
import { nerioLeadership, type OpenTransport, tcpTransport } from '@leadership/nerio';
import type { MemberCommand, MemberInput, MemberTold } from '../nerio/member.ts';
import { resignTold, tellStates } from '../process/electing.ts';
import { inputOf, say } from '../process/parent.ts';

const { addresses, member, thresholdMs, partitions } = inputOf<MemberInput>();
let frames = 0;
const transport = counted(tcpTransport({ addresses }));
const source = nerioLeadership({ group: 'bench', members: Object.keys(addresses), member, thresholdMs, partitions, transport });
const tell = (told: MemberTold): void => void say<MemberTold>(told);

tellStates(source, partitions);
process.on('message', (command) => void obey(command as MemberCommand));
process.on('disconnect', () => process.exit());
// It is there; a quorum it has once others are, too.
tell({ kind: 'ready' });

async function obey({ kind }: MemberCommand): Promise<void> {
  if (kind === 'sent') return tell({ kind, frames, leads: source.held().size });
  return resignTold(source);
}

/** What is said to one member in one turn of the event loop travels in one frame. */
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
