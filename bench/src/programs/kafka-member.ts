// A child process of the Kafka benchmarks: one member, which reports its terms and executes
// commands.
import { kafkaLeadership } from '@leadership/kafka';
import type { MemberCommand, MemberInput, MemberTold } from '../kafka/member.ts';
import { resignTold, tellStates } from '../process/electing.ts';
import { inputOf, say } from '../process/parent.ts';

const { brokers, topic, member, thresholdMs, partitions } = inputOf<MemberInput>();
const source = kafkaLeadership({
  kafka: { brokers: [...brokers] },
  topic,
  group: topic,
  member,
  thresholdMs,
  partitions,
});
const tell = (told: MemberTold): void => void say<MemberTold>(told);

tellStates(source, partitions);
process.on('message', (command) => void obey(command as MemberCommand));
process.on('disconnect', () => process.exit());
await source.ready();
tell({ kind: 'ready' });

async function obey({ kind }: MemberCommand): Promise<void> {
  switch (kind) {
    case 'resign':
      return resignTold(source);
    case 'cpu': {
      const { user, system } = process.cpuUsage();
      return tell({ kind: 'cpu', ms: (user + system) / 1000 });
    }
    case 'close':
      await source.close();
      return tell({ kind: 'closed' });
  }
}
