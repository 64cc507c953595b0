// Stores lease requests (L7) as items, which the leaseholder reads together with all other items.
// The requesting member repeats its request every T/4, and removes the item when it stops asking.
// The item of a crashed member is removed by a member that has read it unchanged for 2T.
import type { Instant, LeaseRequest, LeaseRequests } from '@leadership/core/adapter';
import { jsonFields } from '@leadership/core/internal';
import { requestItem } from './layout.ts';
import { ageMs } from './liveness.ts';
import {
  itemText,
  putMemberItem,
  removeMemberItem,
  removeMemberItems,
  sweeper,
} from './member-item-writes.ts';
import type { MemberItem, WrittenItem } from './member-items.ts';
import type { Notifications } from './notifications.ts';
import type { Store } from './store.ts';

/** Lease requests in a table, with a function that withdraws this member's own. */
export interface TableLeaseRequests extends LeaseRequests {
  /** Removes the pending requests of this member. */
  close(): Promise<void>;
}

/** A request that its member has not repeated for this long is withdrawn (L7). In T. */
const ownThresholds = 0.5;
/** A request that was not repeated for this long belongs to a crashed member. In T. */
const leftoverThresholds = 2;

/** Creates the lease requests in the items of the group. */
export function tableLeaseRequests(
  store: Store,
  { notify }: Pick<Notifications, 'notify'>,
): TableLeaseRequests {
  const own = store.requests;
  return {
    async send(request, signal) {
      const item = requestItem(request.partition, request.incarnation);
      const isNew = !own.has(item);
      own.set(item, { text: itemText(request), askedAt: store.clock.now() });
      await putMemberItem(store, item, request, signal);
      // Notify only once: a holder that is draining needs no further notification.
      if (isNew) notify();
    },
    async *received(signal) {
      const told = new Map<string, string>();
      const sweep = sweeper(store);
      for await (const items of store.memberItems.follow(signal)) {
        const requests = items.filter(({ kind }) => kind === 'lease-request');
        for (const request of requests) {
          if (own.has(request.item) || told.get(request.item) === request.text) continue;
          told.set(request.item, request.text);
          yield* requestIn(request);
        }
        forget(told, requests);
        void removeMemberItems(store, takeExpired(store, own));
        sweep(
          requests.filter(
            (request) =>
              !own.has(request.item) && ageMs(request) > leftoverThresholds * store.thresholdMs,
          ),
        );
      }
    },
    async close() {
      const left = [...own.keys()];
      own.clear();
      await Promise.allSettled(left.map((item) => removeMemberItem(store, item)));
    },
  };
}

function requestIn({
  text,
  readAt,
}: MemberItem): readonly (LeaseRequest & { readonly receivedAt: Instant })[] {
  const { partition, id, incarnation, member, thresholdMs } = jsonFields(text) ?? {};
  const isRequest =
    Number.isSafeInteger(partition) &&
    [id, incarnation, member].every((word) => typeof word === 'string');
  return isRequest && Number.isFinite(thresholdMs)
    ? [
        { partition, id, incarnation, member, thresholdMs, receivedAt: readAt } as LeaseRequest & {
          readonly receivedAt: Instant;
        },
      ]
    : [];
}

/** Forgets removed items, so that a request that returns is reported again. */
function forget(told: Map<string, string>, requests: readonly MemberItem[]): void {
  const items = new Set(requests.map(({ item }) => item));
  for (const item of told.keys()) if (!items.has(item)) told.delete(item);
}

/**
 * Takes the expired requests out of `own` and returns them with their text. Removal by text keeps a
 * request that was renewed in the meantime.
 */
function takeExpired(
  { clock, thresholdMs }: Store,
  own: Store['requests'],
): readonly WrittenItem[] {
  const over = [...own].filter(
    ([, { askedAt }]) => clock.now() - askedAt > ownThresholds * thresholdMs,
  );
  for (const [item] of over) own.delete(item);
  return over.map(([item, { text }]) => ({ item, text }));
}
