// A child process of the etcd benchmarks: one member, which reports its terms and resigns on each
// command.
import { etcdLeadership } from '@leadership/etcd';
import { inputOf, report } from '@leadership/tools/processes';
import type { MemberInput } from '../etcd/store.ts';
import { type ElectionMessage, reportStates, resignAndReport } from '../process/member-messages.ts';

const options = inputOf<MemberInput>();
const source = etcdLeadership(options);
reportStates(source, options.partitions);
process.on('message', () => void resignAndReport(source));
process.on('disconnect', () => process.exit());
await source.ready();
await report<ElectionMessage>({ kind: 'ready' });
