// The backend, but its members copy the rows after every tenth entry and cut below, not after every
// thousandth: `often-copying.ts` for a process of its own.
import { mergeAddress, openSource, resolveOptions } from '@leadership/core/adapter';
import { shardedBackend } from '@leadership/core/internal/rows';
import { backend as right } from '@leadership/kafka';
import { kafkajsClient } from '../../dist/kafkajs/kafkajs-client.js';
import { brokersIn } from '../../dist/options.js';
import { kafkaShards } from '../../dist/rows.js';

const pace = { copyEvery: 10 };

function open(address, options) {
  const { brokers, group } = brokersIn(address);
  const { topic, topicCheck, ...common } = mergeAddress(address, options);
  const resolved = resolveOptions({ ...common, group });
  const own = {
    ...resolved,
    topic,
    topicCheck,
    sessionTimeoutMs: 6000,
    client: kafkajsClient({ brokers }),
  };
  const backend = shardedBackend(resolved, (host) =>
    kafkaShards({ ...own, clock: host.clock, host }, pace),
  );
  return openSource(backend, resolved);
}

export const backend = { ...right, open };
