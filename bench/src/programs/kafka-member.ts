// A child of the Kafka benchmarks: one member, that says what it leads and does what it is told.
import { kafkaLeadership } from '@leadership/kafka';
import type { MemberCommand, MemberInput, MemberTold } from '../kafka/member.ts';
import { inputOf, nowNs, say } from '../process/parent.ts';

const { brokers, topic, member, thresholdMs, partitions } = inputOf<MemberInput>();
const source = kafkaLeadership({ kafka: { brokers: [...brokers] }, topic, group: topic, member, thresholdMs, partitions });
const tell = (told: MemberTold): void => void say<MemberTold>(told);

for (let partition = 0; partition < partitions; partition += 1) {
  source.role(partition).leadership$.subscribe(({ state }) => {
    if (state === 'leading' || state === 'fenced' || state === 'waiting') tell({ kind: state, partition, atNs: nowNs() });
  });
}
process.on('message', (command) => void obey(command as MemberCommand));
process.on('disconnect', () => process.exit());
await source.ready();
tell({ kind: 'ready' });

async function obey({ kind }: MemberCommand): Promise<void> {
  switch (kind) {
    case 'resign':
      tell({ kind: 'resigning', atNs: nowNs() });
      return source.role(0).resign();
    case 'cpu': {
      const { user, system } = process.cpuUsage();
      return tell({ kind: 'cpu', ms: (user + system) / 1000 });
    }
    case 'close':
      await source.close();
      return tell({ kind: 'closed' });
  }
}
