// Edits the rows of a store as operators, backups and other releases do, for the conformance suite.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../conformance/cluster.ts';

/** The rows of the groups in a store, as an administrator reads and writes them. */
export interface EditableRows {
  /** Returns the text of each row of the group; none before a member has opened the group. */
  read(group: string): Promise<ReadonlyMap<string, string>>;
  /**
   * Writes these texts, and removes the rows whose text is `null`. Resolves with `true`; with `false`,
   * and writes none of them, if the row that `only` names has another text than it states. That row
   * is the last of `texts`.
   */
  write(
    group: string,
    texts: ReadonlyMap<string, string | null>,
    only?: readonly [name: string, text: string],
  ): Promise<boolean>;
  /**
   * Calls `during`, and then restores what the store held of the group before. Default: its rows.
   */
  restore?(group: string, during: () => Promise<void>): Promise<void>;
}

/** The pause between two readings in search of a renewal. Milliseconds. */
const periodMs = 10;

/** Returns the methods of a cluster that read and edit the rows of a group, to be spread into it. */
export function rowFaults(
  rows: EditableRows,
): Required<Pick<Cluster, 'contents' | 'putGarbage' | 'putOtherRelease' | 'rollBack'>> {
  return {
    contents: async (group) => [...(await rows.read(group))].map((row) => row.join(': ')),
    async putGarbage(group, partition) {
      const name = nameOf(partition);
      const text = (await rows.read(group)).get(name) ?? '';
      const half = text.slice(0, text.length / 2);
      const foreign = [
        ['README', 'not a partition'],
        ['partition#x', '{"id":7}'],
      ] as const;
      await rows.write(group, new Map([...foreign, [name, half]]));
    },
    async putOtherRelease(group, partition, kind, thresholdMs) {
      const name = nameOf(partition);
      const session = `later-${randomUUID()}/1`;
      const later = { release: 99, proof: ['else'], kind };
      const opened = { ...later, version: 0, thresholdMs, member: 'later' };
      for (;;) {
        const text = (await rows.read(group)).get(name);
        const { life, version = 0, token = '0' } = JSON.parse(text ?? '{}');
        const next = {
          ...later,
          life,
          version: version + 1,
          session,
          token: `${BigInt(token) + 1n}`,
        };
        const texts = new Map([
          [`session#${session}`, JSON.stringify(opened)],
          [name, JSON.stringify(next)],
        ]);
        if (await rows.write(group, texts, text === undefined ? undefined : [name, text])) return;
      }
    },
    async rollBack(group) {
      const during = (): Promise<void> => renewals(rows, group);
      await (rows.restore?.(group, during) ?? restoreRows(rows, group, during));
    },
  };
}

function nameOf(partition: number): string {
  return `partition#${partition}`;
}

async function restoreRows(
  rows: EditableRows,
  group: string,
  during: () => Promise<void>,
): Promise<void> {
  const kept = await rows.read(group);
  await during();
  const lost = [...(await rows.read(group)).keys()].filter((name) => !kept.has(name));
  await rows.write(group, new Map([...kept, ...lost.map((name) => [name, null] as const)]));
}

/** Resolves once sessions of the group have been renewed twice. */
async function renewals(rows: EditableRows, group: string): Promise<void> {
  const sessions = async (): Promise<string> =>
    JSON.stringify([...(await rows.read(group))].filter(([name]) => name.startsWith('session#')));
  for (let count = 0, last = await sessions(); count < 2; ) {
    await pause(periodMs);
    const now = await sessions();
    if (now !== last) count += 1;
    last = now;
  }
}
