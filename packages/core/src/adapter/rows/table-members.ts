// Gives presence and lease requests access to the members' rows of a store.
import type { MemberRows } from './member-rows.ts';
import { type MemberRowKind, memberRowKind, presenceRowName, requestRowName } from './names.ts';
import { ownRow } from './own-row.ts';
import { replaceRow, type TableStore } from './table-store.ts';

/** Returns the members' rows of one kind in the rows of the group. */
export function tableMembers(store: TableStore, kind: MemberRowKind): MemberRows {
  const { host, clock, thresholdMs } = store;
  return {
    host,
    clock,
    thresholdMs,
    async admitted(signal) {
      for await (const _ of store.admission.follow(signal)) break;
    },
    async *follow(signal) {
      for await (const rows of store.memberRows.follow(signal))
        yield rows.filter(({ name }) => memberRowKind(name) === kind);
    },
    nameOf: (incarnation, partition) =>
      partition === undefined
        ? presenceRowName(incarnation)
        : requestRowName(partition, incarnation),
    own: (name) => ownRow(store, name),
    sweeps: () => store.isCandidate,
    remove: ({ name, text }) =>
      // A signal of its own: Node warns of a leak where many requests listen to one.
      replaceRow(
        store,
        { name, expected: text, text: null, isAwaited: false },
        new AbortController().signal,
      ),
  };
}
