// Who asks for a lease (L7) leaves an item, which the holder reads with everything else. The asker repeats it every T/4 and removes it
// when it has stopped asking; what a crashed one left is removed by whoever has read it unchanged for 2T.
import type { Instant } from '@leadership/core/backend';
import type { Want, Wants } from '@leadership/core/ledger';
import { ageMs } from './census.ts';
import { fieldsOf } from './fields-of.ts';
import { wantItem } from './layout.ts';
import { leaveNote, type Note, type NoteLeft, noteText, removeNote, removeNotes, sweeper } from './notes.ts';
import type { Store } from './store.ts';
import type { WakeUps } from './wake-ups.ts';

/** Wants, and the own ones' removal. */
export interface TableWants extends Wants {
  /** Removes what this member has asked for. */
  close(): Promise<void>;
}

/** A want that its asker has not repeated for so long is not answered any more (L7). In T. */
const ownThresholds = 0.5;
/** A want that nobody repeated for so long is nobody's. In T. */
const leftoverThresholds = 2;

/** Wants as items of the group. */
export function tableWants(store: Store, { wake }: Pick<WakeUps, 'wake'>): TableWants {
  const own = store.requests;
  return {
    async ask(want, signal) {
      const item = wantItem(want.partition, want.incarnation);
      const isNew = !own.has(item);
      own.set(item, { text: noteText(want), askedAt: store.clock.now() });
      await leaveNote(store, item, want, signal);
      // A holder that drains already need not be notified again and again.
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

/** What is gone is told again should it come back. */
function forget(told: Map<string, string>, wants: readonly Note[]): void {
  const items = new Set(wants.map(({ item }) => item));
  for (const item of told.keys()) if (!items.has(item)) told.delete(item);
}

/** Those that are not asked for any more. As they were left: what is asked for again meanwhile stays. */
function forgo({ clock, thresholdMs }: Store, own: Store['requests']): readonly NoteLeft[] {
  const over = [...own].filter(([, { askedAt }]) => clock.now() - askedAt > ownThresholds * thresholdMs);
  for (const [item] of over) own.delete(item);
  return over.map(([item, { text }]) => ({ item, text }));
}
