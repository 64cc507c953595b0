// The changes of an exchange on a store where each is a request of its own.
import type { RowChange } from './rows.ts';
import type { ServerExchange } from './server-rows.ts';

/** Makes one change, which carries its notification. Resolves with whether its condition held. */
export type MakeChange = (change: RowChange, notification: string | undefined) => Promise<boolean>;

/**
 * Makes the changes of an exchange where each is a request of its own, all at the same time, except claims:
 * those only if the renewal of this member was made, or a member whose replies are lost would claim again
 * and again, and keep the others from it. Rejects once all have ended if one has no outcome. The
 * notification of a change says of itself alone that it was made, because it is written together with it.
 */
export async function changedInOrder(
  { changes, notification }: Pick<ServerExchange, 'changes' | 'notification'>,
  incarnation: string,
  make: MakeChange,
): Promise<readonly boolean[]> {
  const outcomes = changes.map(() => false);
  const isOwn = ({ name }: RowChange): boolean => name.startsWith(`session#${incarnation}/`);
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
  await makeAll((change) => !isClaim(change));
  const isRenewed = numbered.every(({ change, index }) => !isOwn(change) || outcomes[index]);
  if (isRenewed) await makeAll(isClaim);
  return outcomes;
}

/** Returns whether a change claims a partition, or creates its row. A release is neither, and waits for nothing. */
function isClaim({ name, expected, isAnnounced = false }: RowChange): boolean {
  return name.startsWith('partition#') && (isAnnounced || expected === null);
}
