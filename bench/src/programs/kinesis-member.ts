// A child of the benchmarks on AWS: one member, that says what it leads and does what it is told.
import { kinesisLeadership } from '@leadership/kinesis';
import type { MemberCommand, MemberInput, MemberTold } from '../kinesis/member.ts';
import { inputOf, nowNs, say } from '../process/parent.ts';

const { table, stream, tables, streams, ...common } = inputOf<MemberInput>();
const place = { table, create: true, dynamodb: tables, ...(stream !== undefined && { stream, kinesis: streams }) };
const source = kinesisLeadership({ ...place, ...common });
const tell = (told: MemberTold): void => void say<MemberTold>(told);

for (let partition = 0; partition < common.partitions; partition += 1) {
  source.role(partition).leadership$.subscribe(({ state }) => {
    if (state === 'leading' || state === 'fenced' || state === 'waiting') tell({ kind: state, partition, atNs: nowNs() });
  });
}
process.on('message', (command) => void obey(command as MemberCommand));
process.on('disconnect', () => process.exit());
await source.ready();
tell({ kind: 'ready' });

async function obey(_resign: MemberCommand): Promise<void> {
  tell({ kind: 'resigning', atNs: nowNs() });
  await source.role(0).resign();
}
