// Stores lease requests (L7) as items, which the leaseholder reads together with all other items.
// The requesting member repeats its request every T/4, and removes the item when it stops asking.
// The item of a crashed member is removed by a member that has read it unchanged for 2T.
import type { Instant } from '@leadership/core/backend';
import type { Want, Wants } from '@leadership/core/ledger';
import { ageMs } from './census.ts';
import { fieldsOf } from './fields-of.ts';
import { wantItem } from './layout.ts';
import { leaveNote, type Note, type NoteLeft, noteText, removeNote, removeNotes, sweeper } from './notes.ts';
import type { Store } from './store.ts';
import type { WakeUps } from './wake-ups.ts';

/** Lease requests in a table, with a function that withdraws this member's own. */
export interface TableWants extends Wants {
  /** Removes the pending requests of this member. */
  close(): Promise<void>;
}

/** A request that its member has not repeated for this long is withdrawn (L7). In T. */
const ownThresholds = 0.5;
/** A request that was not repeated for this long belongs to a crashed member. In T. */
const leftoverThresholds = 2;

/** Creates the lease requests in the items of the group. */
export function tableWants(store: Store, { wake }: Pick<WakeUps, 'wake'>): TableWants {
  const own = store.requests;
  return {
    async ask(want, signal) {
      const item = wantItem(want.partition, want.incarnation);
      const isNew = !own.has(item);
      own.set(item, { text: noteText(want), askedAt: store.clock.now() });
      await leaveNote(store, item, want, signal);
      // Notify only once: a holder that is draining needs no further notification.
      if (isNew) wake();
    },
    async *asked(signal) {
      const told = new Map<string, string>();
      const sweep = sweeper(store);
      for await (const notes of store.notes.follow(signal)) {
        const wants = notes.filter(({ kind }) => kind === 'want');
        for (const note of wants) {
          if (own.has(note.item) || told.get(note.item) === note.text) continue;
          told.set(note.item, note.text);
          yield* wantIn(note);
        }
        forget(told, wants);
        void removeNotes(store, forgo(store, own));
        sweep(wants.filter((note) => !own.has(note.item) && ageMs(note) > leftoverThresholds * store.thresholdMs));
      }
    },
    async close() {
      const left = [...own.keys()];
      own.clear();
      await Promise.allSettled(left.map((item) => removeNote(store, item)));
    },
  };
}

function wantIn({ text, readAt }: Note): readonly (Want & { readonly receivedAt: Instant })[] {
  const { partition, id, incarnation, member, thresholdMs } = fieldsOf(text) ?? {};
  const isWant = Number.isSafeInteger(partition) && [id, incarnation, member].every((word) => typeof word === 'string');
  return isWant && Number.isFinite(thresholdMs)
    ? [{ partition, id, incarnation, member, thresholdMs, receivedAt: readAt } as Want & { readonly receivedAt: Instant }]
    : [];
}

/** Forgets removed items, so that a request that returns is reported again. */
function forget(told: Map<string, string>, wants: readonly Note[]): void {
  const items = new Set(wants.map(({ item }) => item));
  for (const item of told.keys()) if (!items.has(item)) told.delete(item);
}

/**
 * Takes the expired requests out of `own` and returns them with their text. Removal by text keeps a
 * request that was renewed in the meantime.
 */
function forgo({ clock, thresholdMs }: Store, own: Store['requests']): readonly NoteLeft[] {
  const over = [...own].filter(([, { askedAt }]) => clock.now() - askedAt > ownThresholds * thresholdMs);
  for (const [item] of over) own.delete(item);
  return over.map(([item, { text }]) => ({ item, text }));
}
