// A child process of the AWS benchmarks: one member, which reports its terms and resigns on each
// command.
import { kinesisLeadership } from '@leadership/kinesis';
import { inputOf, report } from '@leadership/tools/processes';
import type { MemberInput } from '../kinesis/member.ts';
import { type ElectionMessage, reportStates, resignAndReport } from '../process/member-messages.ts';

const { table, stream, tables, streams, ...common } = inputOf<MemberInput>();
const place = {
  table,
  create: true,
  dynamodb: tables,
  ...(stream !== undefined && { stream, kinesis: streams }),
};
const source = kinesisLeadership({ ...place, ...common });
reportStates(source, common.partitions);
process.on('message', () => void resignAndReport(source));
process.on('disconnect', () => process.exit());
await source.ready();
await report<ElectionMessage>({ kind: 'ready' });
