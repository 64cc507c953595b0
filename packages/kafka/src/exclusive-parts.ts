import { balanced, type LedgerParts } from '@leadership/core/internal/lease';
import { groupPresence } from './group/presence.ts';
import type { MemberContext } from './member-context.ts';
import { kafkaLedger, type LedgerPace } from './topic/ledger.ts';

/**
 * Returns the parts of the ledger lease: a topic as the ledger, and a placement by the present
 * members. `presenceOf` replaces the consumer group.
 */
export function exclusiveParts(
  context: MemberContext,
  pace?: LedgerPace,
  presenceOf: typeof groupPresence = groupPresence,
): LedgerParts {
  const { host, partitions, clock, thresholdMs } = context;
  let thereNow = (): void => undefined;
  const topicIsThere = new Promise<void>((resolve) => {
    thereNow = resolve;
  });
  const holders = new Map<number, string>();
  const ledger = kafkaLedger(context, thereNow, pace);
  const held = (): number[] =>
    [...holders]
      .filter(([, holder]) => holder === host.incarnation)
      .map(([partition]) => partition);
  const presence = presenceOf(context, {
    topicIsThere,
    sendLeaveNotice: (notice) => ledger.sendLeaveNotice(notice, new Set([0, ...held()])),
    leaveNotices: (signal) => ledger.leaveNotices(signal),
  });
  const backOff = { firstMs: thresholdMs / 4, lastMs: 2 * thresholdMs, random: host.random };
  const placement = balanced(presence, {
    incarnation: host.incarnation,
    partitions,
    clock,
    backOff,
  });
  return {
    ledger: {
      ...ledger,
      close: async () => void (await Promise.all([ledger.close(), presence.left()])),
    },
    placement: {
      ...placement,
      holders(changed) {
        for (const [partition, holding] of changed) {
          if (holding) holders.set(partition, holding.incarnation);
          else holders.delete(partition);
        }
        placement.holders(changed);
      },
    },
  };
}
