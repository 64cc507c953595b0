// Tracks which members are alive. Each candidate keeps an item with a counter that it increments
// every T. A member whose counter has not changed for a while on the reader's own clock counts as
// gone. A member that leaves removes its item. Presence only advises the placement; leases ensure
// safety.
import { pause } from '@leadership/core/backend';
import type { Presence } from '@leadership/core/ledger';
import { answerOf } from './answer-of.ts';
import { ageMs, memberNotes, presentNotes } from './census.ts';
import { fieldsOf } from './fields-of.ts';
import { memberItem } from './layout.ts';
import { leaveNote, type Note, removeNote, sweeper } from './notes.ts';
import type { Store } from './store.ts';
import type { WakeUps } from './wake-ups.ts';

/**
 * The item of a member that has been gone for this long is removed. A member that was only paused
 * writes it again. In T.
 */
const sweptThresholds = 10;

/** Creates the presence of members in the items of the group. */
export function tablePresence(store: Store, wakeUps: Pick<WakeUps, 'wake'>): Presence {
  const { thresholdMs } = store;
  // The counter continues when `announce` fails and is called again. Restarted, it could repeat a
  // value and look unchanged to the readers.
  let beats = 0;
  const nextBeat = (): number => {
    beats += 1;
    return beats;
  };
  return {
    announce: (signal) => announce(store, wakeUps, nextBeat, signal),
    async *present(signal) {
      const sweep = sweeper(store);
      let told: string | undefined;
      for await (const notes of store.notes.follow(signal)) {
        const incarnations = presentNotes(notes, thresholdMs).flatMap(incarnationIn).sort();
        const now = incarnations.join('\n');
        if (now !== told) yield incarnations;
        told = now;
        sweep(left(memberNotes(notes), thresholdMs));
      }
    },
  };
}

async function announce(store: Store, { wake }: Pick<WakeUps, 'wake'>, nextBeat: () => number, signal: AbortSignal): Promise<void> {
  const { clock, limitMs, thresholdMs, host } = store;
  const { member, incarnation } = host;
  const item = memberItem(incarnation);
  let isLeft = false;
  try {
    // A member that is refused, or that cannot read the group, writes no item.
    for await (const _ of store.admission.follow(signal)) break;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const note = { incarnation, member, beat: nextBeat() };
      isLeft = true;
      await answerOf(store.table, { clock, limitMs, until: signal }, (until) => leaveNote(store, item, note, until));
      if (isFirst) wake();
      await pause(clock, thresholdMs, signal);
    }
  } finally {
    // A throttled member keeps its item. If the removal fails, the item becomes stale and is swept.
    if (signal.aborted && isLeft) await removeNote(store, item).catch(() => undefined);
  }
}

function incarnationIn({ text }: Note): readonly string[] {
  const incarnation = fieldsOf(text)?.['incarnation'];
  return typeof incarnation === 'string' ? [incarnation] : [];
}

/** Returns the items of members that have been gone for a long time. */
function left(members: readonly Note[], thresholdMs: number): readonly Note[] {
  return members.filter((note) => ageMs(note) > sweptThresholds * thresholdMs);
}
