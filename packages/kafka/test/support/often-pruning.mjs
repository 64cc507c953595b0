// The backend, but its members truncate the topic after every tenth record, not every thousandth:
// `often-pruning.ts` for a process of its own.
import { mergeAddress, openSource, resolveOptions } from '@leadership/core/adapter';
import { ledgerBackend } from '@leadership/core/internal/lease';
import { backend as right } from '@leadership/kafka';
import { exclusiveParts } from '../../dist/exclusive-parts.js';
import { kafkajsClient } from '../../dist/kafkajs/kafkajs-client.js';
import { brokersIn } from '../../dist/options.js';

const pace = { batch: 10, stillMs: 0, oldMs: 60_000, checkMs: 60_000 };

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
  const backend = ledgerBackend(resolved, (host) =>
    exclusiveParts({ ...own, clock: host.clock, host }, pace),
  );
  return openSource(backend, resolved);
}

export const backend = { ...right, open };
