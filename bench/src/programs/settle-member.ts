// A child of the benchmark settle: one member or several, which report when their terms begin and end.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import { inputOf, nowNs, report } from '@leadership/tools/processes';
import { watchLoop } from '../settle/loop-stalls.ts';
import type {
  BackendConfig,
  ProcessCommand,
  ProcessInput,
  ProcessMessage,
} from '../settle/member.ts';

const { backend, members, partitions, thresholdMs } = inputOf<ProcessInput>();
const send = (message: ProcessMessage): void => void report<ProcessMessage>(message);
const open = await openerOf(backend);
let worstMs = (): number => 0;

process.on(
  'message',
  ({ kind }: ProcessCommand) =>
    void (kind === 'begin' ? begin() : send({ kind: 'stalled', worstMs: worstMs() })),
);
process.on('disconnect', () => process.exit());
send({ kind: 'loaded' });

async function begin(): Promise<void> {
  worstMs = watchLoop();
  for (const member of members) {
    open({ group: 'bench', member, partitions, thresholdMs }).events$.subscribe(
      ({ kind, partition = 0 }) => {
        if (kind === 'acquired') send({ kind: 'began', member, partition, atNs: nowNs() });
        else if (kind === 'released' || kind === 'fenced')
          send({ kind: 'ended', member, partition, atNs: nowNs() });
      },
    );
    await nextTurn();
  }
}

/** The options that are the same for every backend. */
interface Common {
  readonly group: string;
  readonly member: string;
  readonly partitions: number;
  readonly thresholdMs: number;
}

/** Loads the backend, and no other. */
async function openerOf(at: BackendConfig): Promise<(common: Common) => LeadershipSource> {
  switch (at.kind) {
    case 'memory': {
      const { memoryGroup } = await import('@leadership/core/memory');
      return ({ group, ...options }) => memoryGroup(group).join(options);
    }
    case 'file': {
      const { fileLeadership } = await import('@leadership/file');
      return (common) => fileLeadership({ ...common, directory: at.directory });
    }
    case 'nerio': {
      const { nerioLeadership, tcpTransport } = await import('@leadership/nerio');
      const { addresses } = at;
      return (common) =>
        nerioLeadership({
          ...common,
          members: Object.keys(addresses),
          transport: tcpTransport({ addresses }),
        });
    }
    case 'kinesis': {
      const { kinesisLeadership } = await import('@leadership/kinesis');
      return (common) =>
        kinesisLeadership({ ...common, table: at.table, create: true, dynamodb: at.tables });
    }
    case 'kafka': {
      const { kafkaLeadership } = await import('@leadership/kafka');
      return (common) =>
        kafkaLeadership({ ...common, kafka: { brokers: [...at.brokers] }, topic: at.topic });
    }
  }
}
