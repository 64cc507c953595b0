// Tracks which members are alive. Each candidate keeps a row with a counter that it increments
// every T. A member whose counter has not changed for a while on the reader's own clock counts as
// gone. A member that leaves removes its row. Presence only advises the placement; leases ensure
// safety.
import { sleep } from '../../async/sleep.ts';
import { jsonFields } from '../../engine/envelope.ts';
import type { Presence } from '../../ledger/placement.ts';
import { ageMs, type MemberRow, type MemberRows, type OwnRow } from './member-rows.ts';
import { sweeper } from './sweep.ts';

/** A member counts as gone after two late beats. In T. */
const staleThresholds = 2.5;
/**
 * The row of a member that has been gone for this long is removed. A member that was only paused
 * writes it again. In T.
 */
const sweptThresholds = 10;

/** All beats are equally long, so that a store may overwrite a file with the next one. */
const beatDigits = 12;

/** Creates the presence of members in rows of their own. */
export function rowPresence(store: MemberRows): Presence {
  const { thresholdMs, host } = store;
  const row = store.own(store.nameOf(host.incarnation));
  // The counter continues when `announce` fails and is called again. Restarted, it could repeat a
  // value and look unchanged to the readers.
  let beats = 0;
  const nextBeat = (): string => {
    beats += 1;
    return String(beats).padStart(beatDigits, '0');
  };
  return {
    announce: (signal) => announce(store, row, nextBeat, signal),
    async *present(signal) {
      const sweep = sweeper(store);
      let reported: string | undefined;
      for await (const members of store.follow(signal)) {
        const alive = members.filter((member) => ageMs(member) < staleThresholds * thresholdMs);
        const incarnations = alive.flatMap(incarnationIn).sort();
        const current = incarnations.join('\n');
        if (current !== reported) yield incarnations;
        reported = current;
        sweep(members.filter((member) => ageMs(member) > sweptThresholds * thresholdMs));
      }
    },
  };
}

async function announce(
  store: MemberRows,
  row: OwnRow,
  nextBeat: () => string,
  signal: AbortSignal,
): Promise<void> {
  const { clock, thresholdMs, host } = store;
  const { member, incarnation } = host;
  // True as soon as a write begins: it may take effect although it fails.
  let mayBeWritten = false;
  try {
    // A member that is refused, or that cannot read the group, writes no row.
    await store.admitted(signal);
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      mayBeWritten = true;
      await row.put(JSON.stringify({ incarnation, member, beat: nextBeat() }), isFirst, signal);
      await sleep(clock, thresholdMs, signal);
    }
  } finally {
    // A throttled member keeps its row. If the removal fails, the row becomes stale and is swept.
    if (signal.aborted && mayBeWritten) await row.remove().catch(() => undefined);
  }
}

function incarnationIn({ text }: MemberRow): readonly string[] {
  const incarnation = jsonFields(text)?.['incarnation'];
  return typeof incarnation === 'string' ? [incarnation] : [];
}
