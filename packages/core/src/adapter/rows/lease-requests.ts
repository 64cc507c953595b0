// Stores lease requests (L7) as rows, which the leaseholder reads together with all other rows. The
// requesting member repeats its request every T/4, and removes the row when it stops asking. The
// row of a crashed member is removed by a member that has read it unchanged for 2T.

import { jsonFields } from '../../engine/envelope.ts';
import type { LeaseRequest, LeaseRequests } from '../../ledger/ledger.ts';
import type { Instant } from '../../time/instant.ts';
import { ageMs, type MemberRow, type MemberRows, type OwnRow } from './member-rows.ts';
import { sweeper } from './sweep.ts';

/** Lease requests in rows, and what the ledger needs of this member's own. */
export interface RowLeaseRequests extends LeaseRequests {
  /** Whether this member has requested a lease and not received it yet. */
  isPending(): boolean;
  /** Removes the pending requests of this member. */
  close(): Promise<void>;
}

/** A request that its member has not repeated for this long is withdrawn (L7). In T. */
const ownThresholds = 0.5;
/** A request that was not repeated for this long belongs to a crashed member. In T. */
const leftoverThresholds = 2;

/** A pending request of this member. */
interface OwnRequest {
  readonly row: OwnRow;
  askedAt: Instant;
  isWritten: boolean;
}

/** Creates the lease requests in rows of the members. Calls `begun` after a first request. */
export function rowLeaseRequests(
  store: MemberRows,
  begun: () => void = () => undefined,
): RowLeaseRequests {
  const { clock, thresholdMs } = store;
  const own = new Map<string, OwnRequest>();
  const retract = async (names: readonly string[]): Promise<void> => {
    const rows = names.flatMap((name) => own.get(name)?.row ?? []);
    for (const name of names) own.delete(name);
    await Promise.allSettled(rows.map((row) => row.remove()));
  };
  return {
    async send(request, signal) {
      const name = store.nameOf(request.incarnation, request.partition);
      const { row, isWritten } = own.get(name) ?? { row: store.own(name), isWritten: false };
      const asked: OwnRequest = { row, isWritten, askedAt: clock.now() };
      own.set(name, asked);
      // Notify only once: a holder that is draining needs no further notification.
      await row.put(JSON.stringify(request), !isWritten, signal);
      asked.isWritten = true;
      if (!isWritten) begun();
    },
    async *received(signal) {
      const reported = new Map<string, string>();
      const sweep = sweeper(store);
      for await (const rows of store.follow(signal)) {
        const requests = rows.filter(({ name }) => !own.has(name));
        for (const request of requests) {
          if (reported.get(request.name) === request.text) continue;
          reported.set(request.name, request.text);
          yield* requestIn(request);
        }
        forget(reported, rows);
        void retract(
          [...own]
            .filter(([, { askedAt }]) => clock.now() - askedAt > ownThresholds * thresholdMs)
            .map(([name]) => name),
        );
        sweep(requests.filter((request) => ageMs(request) > leftoverThresholds * thresholdMs));
      }
    },
    isPending: () => own.size > 0,
    close: () => retract([...own.keys()]),
  };
}

function requestIn({
  text,
  readAt,
}: MemberRow): readonly (LeaseRequest & { readonly receivedAt: Instant })[] {
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

/** Forgets removed rows, so that a request that returns is reported again. */
function forget(reported: Map<string, string>, rows: readonly MemberRow[]): void {
  const names = new Set(rows.map(({ name }) => name));
  for (const name of reported.keys()) if (!names.has(name)) reported.delete(name);
}
