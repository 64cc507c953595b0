// The changes of an exchange on a store where each is a request of its own.
import type { RowChange } from './rows.ts';
import type { ServerExchange } from './server-rows.ts';

/** Makes one change, which carries its notification. Resolves with whether its condition held. */
export type MakeChange = (change: RowChange, notification: string | undefined) => Promise<boolean>;

/**
 * Makes the changes of an exchange where each is a request of its own, all at the same time. With `inOrder`
 * claims wait for the opening of a session: a member whose replies are lost would open one after the other,
 * claim again and again, and keep the others from it. Rejects once all have ended if one has no outcome. The
 * notification of a change says of itself alone that it was made, because it is written together with it.
 */
export async function changedInOrder(
  { changes, notification }: Pick<ServerExchange, 'changes' | 'notification'>,
  { incarnation, inOrder }: { readonly incarnation: string; readonly inOrder: boolean },
  make: MakeChange,
): Promise<readonly boolean[]> {
  const outcomes = changes.map(() => false);
  const numbered = changes.map((change, index) => ({ change, index }));
  const makeAll = async (wanted: (change: RowChange) => boolean): Promise<void> => {
    const results = await Promise.allSettled(
      numbered
        .filter(({ change }) => wanted(change))
        .map(async ({ change, index }) => {
          const digits = changes.map((_, other) => (other === index ? 1 : 0)).join('');
          const notice = change.isAwaited && notification && `${notification} ${digits}`;
          outcomes[index] = await make(change, notice || undefined);
        }),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };
  const opening = numbered.find(({ change }) => inOrder && isOpening(change, incarnation));
  await makeAll((change) => opening === undefined || !isClaim(change));
  if (opening && outcomes[opening.index]) await makeAll(isClaim);
  return outcomes;
}

/** Returns whether a change opens a session of this member. */
function isOpening({ name, expected }: RowChange, incarnation: string): boolean {
  return expected === null && name.startsWith(`session#${incarnation}/`);
}

/** Returns whether a change claims a partition, or creates its row. A release is neither. */
function isClaim({ name, expected, isAnnounced = false }: RowChange): boolean {
  return name.startsWith('partition#') && (isAnnounced || expected === null);
}
