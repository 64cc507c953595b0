// Who stands for election keeps an item with a counter that it raises every T; whose counter has stood still for long on the
// reader's own clock is gone. Members that leave remove their item. All of this is advice for placement, nothing more.
import { pause } from '@leadership/core/backend';
import type { Presence } from '@leadership/core/ledger';
import { answerOf } from './answer-of.ts';
import { ageMs, memberNotes, presentNotes } from './census.ts';
import { fieldsOf } from './fields-of.ts';
import { memberItem } from './layout.ts';
import { leaveNote, type Note, removeNote, sweeper } from './notes.ts';
import type { Store } from './store.ts';
import type { WakeUps } from './wake-ups.ts';

/** The item of a member that was gone for so long is removed; one that was only paused writes it again. In T. */
const sweptThresholds = 10;

/** Presence as items of the group. */
export function tablePresence(store: Store, wakeUps: Pick<WakeUps, 'wake'>): Presence {
  const { thresholdMs } = store;
  // Goes on where announcing failed and is begun anew: from the start again, it would read as one that stands still.
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
    // A member that is refused, or that cannot read the group, leaves nothing there.
    for await (const _ of store.admission.follow(signal)) break;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const note = { incarnation, member, beat: nextBeat() };
      isLeft = true;
      await answerOf(store.table, { clock, limitMs, until: signal }, (until) => leaveNote(store, item, note, until));
      if (isFirst) wake();
      await pause(clock, thresholdMs, signal);
    }
  } finally {
    // Who was only throttled stays. One whose removal fails is stale soon, and swept in the end.
    if (signal.aborted && isLeft) await removeNote(store, item).catch(() => undefined);
  }
}

function incarnationIn({ text }: Note): readonly string[] {
  const incarnation = fieldsOf(text)?.['incarnation'];
  return typeof incarnation === 'string' ? [incarnation] : [];
}

/** Those that were gone for long. */
function left(members: readonly Note[], thresholdMs: number): readonly Note[] {
  return members.filter((note) => ageMs(note) > sweptThresholds * thresholdMs);
}
