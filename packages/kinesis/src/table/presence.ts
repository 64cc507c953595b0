// Tracks which members are alive. Each candidate keeps an item with a counter that it increments
// every T. A member whose counter has not changed for a while on the reader's own clock counts as
// gone. A member that leaves removes its item. Presence only advises the placement; leases ensure
// safety.

import type { Presence } from '@leadership/core/adapter';
import { sleep } from '@leadership/core/adapter';
import { jsonFields } from '@leadership/core/internal';
import { withResponseTimeout } from '../client/response-timeout.ts';
import { presenceItem } from './layout.ts';
import { ageMs, presenceItems, presentMembers } from './liveness.ts';
import { putMemberItem, removeMemberItem, sweeper } from './member-item-writes.ts';
import type { MemberItem } from './member-items.ts';
import type { Notifications } from './notifications.ts';
import type { Store } from './store.ts';

/**
 * The item of a member that has been gone for this long is removed. A member that was only paused
 * writes it again. In T.
 */
const sweptThresholds = 10;

/** Creates the presence of members in the items of the group. */
export function tablePresence(
  store: Store,
  notifications: Pick<Notifications, 'notify'>,
): Presence {
  const { thresholdMs } = store;
  // The counter continues when `announce` fails and is called again. Restarted, it could repeat a
  // value and look unchanged to the readers.
  let beats = 0;
  const nextBeat = (): number => {
    beats += 1;
    return beats;
  };
  return {
    announce: (signal) => announce(store, notifications, nextBeat, signal),
    async *present(signal) {
      const sweep = sweeper(store);
      let told: string | undefined;
      for await (const items of store.memberItems.follow(signal)) {
        const incarnations = presentMembers(items, thresholdMs).flatMap(incarnationIn).sort();
        const now = incarnations.join('\n');
        if (now !== told) yield incarnations;
        told = now;
        sweep(left(presenceItems(items), thresholdMs));
      }
    },
  };
}

async function announce(
  store: Store,
  { notify }: Pick<Notifications, 'notify'>,
  nextBeat: () => number,
  signal: AbortSignal,
): Promise<void> {
  const { clock, limitMs, thresholdMs, host } = store;
  const { member, incarnation } = host;
  const item = presenceItem(incarnation);
  let isLeft = false;
  try {
    // A member that is refused, or that cannot read the group, writes no item.
    for await (const _ of store.admission.follow(signal)) break;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const content = { incarnation, member, beat: nextBeat() };
      isLeft = true;
      await withResponseTimeout(store.table, { clock, limitMs, signal: signal }, (until) =>
        putMemberItem(store, item, content, until),
      );
      if (isFirst) notify();
      await sleep(clock, thresholdMs, signal);
    }
  } finally {
    // A throttled member keeps its item. If the removal fails, the item becomes stale and is swept.
    if (signal.aborted && isLeft) await removeMemberItem(store, item).catch(() => undefined);
  }
}

function incarnationIn({ text }: MemberItem): readonly string[] {
  const incarnation = jsonFields(text)?.['incarnation'];
  return typeof incarnation === 'string' ? [incarnation] : [];
}

/** Returns the items of members that have been gone for a long time. */
function left(members: readonly MemberItem[], thresholdMs: number): readonly MemberItem[] {
  return members.filter((item) => ageMs(item) > sweptThresholds * thresholdMs);
}
