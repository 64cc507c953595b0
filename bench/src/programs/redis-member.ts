// A child process of the Redis benchmarks: one member, which reports its terms and resigns on each
// command.
import { redisLeadership } from '@leadership/redis';
import { inputOf, report } from '@leadership/tools/processes';
import { type ElectionMessage, reportStates, resignAndReport } from '../process/member-messages.ts';
import type { RedisMemberInput } from '../redis/store.ts';

const { port, ...common } = inputOf<RedisMemberInput>();
const source = redisLeadership({ connection: { port }, ...common });
reportStates(source, common.partitions);
process.on('message', () => void resignAndReport(source));
process.on('disconnect', () => process.exit());
await source.ready();
await report<ElectionMessage>({ kind: 'ready' });
