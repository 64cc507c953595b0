// A child process of the Kafka benchmarks: one member, which reports its terms and executes
// commands.
import { kafkaLeadership } from '@leadership/kafka';
import { inputOf, report } from '@leadership/tools/processes';
import type { MemberCommand, MemberInput, MemberReport } from '../kafka/member.ts';
import { reportStates, resignAndReport } from '../process/member-messages.ts';

const { brokers, topic, member, thresholdMs, partitions } = inputOf<MemberInput>();
const source = kafkaLeadership({
  kafka: { brokers: [...brokers] },
  topic,
  group: topic,
  member,
  thresholdMs,
  partitions,
});
const send = (message: MemberReport): void => void report<MemberReport>(message);

reportStates(source, partitions);
process.on('message', (command) => void execute(command as MemberCommand));
process.on('disconnect', () => process.exit());
await source.ready();
send({ kind: 'ready' });

async function execute({ kind }: MemberCommand): Promise<void> {
  switch (kind) {
    case 'resign':
      return resignAndReport(source);
    case 'cpu': {
      const { user, system } = process.cpuUsage();
      return send({ kind: 'cpu', ms: (user + system) / 1000 });
    }
    case 'close':
      await source.close();
      return send({ kind: 'closed' });
  }
}
