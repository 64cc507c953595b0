// Who stands for election keeps an item with a counter that it raises every T; whose counter has stood still for long on the
// reader's own clock is gone. Members that leave remove their item. All of this is advice for placement, nothing more.
import { pause, within } from '@leadership/core/backend';
import type { Presence } from '@leadership/core/ledger';
import { ageMs, memberNotes, presentNotes } from './census.ts';
import { fieldsOf } from './fields-of.ts';
import { memberItem } from './layout.ts';
import { leaveNote, type Note, removeNote } from './notes.ts';
import type { Store } from './store.ts';
import type { WakeUps } from './wake-ups.ts';

/** The item of a member that was gone for so long is removed; one that was only paused writes it again. In T. */
const sweptThresholds = 10;

/** Presence as items of the group. */
export function tablePresence(store: Store, wakeUps: Pick<WakeUps, 'wake'>): Presence {
  const { thresholdMs } = store;
  return {
    announce: (signal) => announce(store, wakeUps, signal),
    async *present(signal) {
      let told: string | undefined;
      for await (const notes of store.notes.follow(signal)) {
        const incarnations = presentNotes(notes, thresholdMs).flatMap(incarnationIn).sort();
        const now = incarnations.join('\n');
        if (now !== told) yield incarnations;
        told = now;
        await sweep(store, memberNotes(notes));
      }
    },
  };
}

async function announce(store: Store, { wake }: Pick<WakeUps, 'wake'>, signal: AbortSignal): Promise<void> {
  const { clock, limitMs, thresholdMs, host } = store;
  const { member, incarnation } = host;
  const item = memberItem(incarnation);
  try {
    for (let beat = 1; !signal.aborted; beat += 1) {
      await within({ clock, limitMs, until: signal }, (until) => leaveNote(store, item, { incarnation, member, beat }, until));
      if (beat === 1) wake();
      await pause(clock, thresholdMs, signal);
    }
  } finally {
    // Who was only throttled stays. One whose removal fails is stale soon, and swept in the end.
    if (signal.aborted) await removeNote(store, item).catch(() => undefined);
  }
}

function incarnationIn({ text }: Note): readonly string[] {
  const incarnation = fieldsOf(text)?.['incarnation'];
  return typeof incarnation === 'string' ? [incarnation] : [];
}

/** Whoever cannot leaves it to the others. */
async function sweep(store: Store, members: readonly Note[]): Promise<void> {
  const gone = members.filter((note) => ageMs(note) > sweptThresholds * store.thresholdMs);
  for (const { item, text } of gone) await removeNote(store, item, text).catch(() => undefined);
}
