// A child process of the fail-over benchmarks on gossip: one member, which reports its terms.
import { scuttlebuttLeadership } from '@leadership/scuttlebutt';
import { inputOf, report } from '@leadership/tools/processes';
import type { MemberInput } from '../gossip/member.ts';
import { type ElectionMessage, reportStates } from '../process/member-messages.ts';

const input = inputOf<MemberInput>();
const own = { group: 'bench', partitions: 1 };
const source = scuttlebuttLeadership({ ...input, ...own });

reportStates(source, own.partitions);
process.on('disconnect', () => process.exit());
// Do not wait for `source.ready()`: it needs a majority, so it depends on the other members.
void report<ElectionMessage>({ kind: 'ready' });
