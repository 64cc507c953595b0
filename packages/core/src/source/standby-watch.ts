// Detects a group that has no second candidate any more.
import type { KnownMember } from '../contract/backend.ts';
import type { Clock } from '../time/clock.ts';
import { after } from '../time/instant.ts';
import type { Complaint } from './health-tracker.ts';

/** Watches the candidates of a group. */
export interface StandbyWatch extends Disposable {
  /** Sets the present members. */
  set(members: readonly KnownMember[]): void;
}

/** The dependencies of the watch. */
export interface StandbyParts {
  readonly clock: Clock;
  /** How long a group may have a single candidate, as during a restart. Milliseconds. */
  readonly limitMs: number;
  /** Returns whether this member still reads its group: otherwise it sees no members. */
  readonly isReading: () => boolean;
  readonly warning: (complaint: Complaint) => Disposable;
}

/** The number of candidates of which one can fail. */
const enough = 2;

/** Warns once a group that has had two candidates has fewer for `limitMs`. */
export function standbyWatch(parts: StandbyParts): StandbyWatch {
  const { clock, limitMs } = parts;
  const message = `no other member could take over for ${limitMs} ms, although the group had more candidates before; start another one, or restart this member if one is enough`;
  let hadEnough = false;
  let timer: ReturnType<Clock['wake']> | undefined;
  let warning: Disposable | undefined;
  const end = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    warning?.[Symbol.dispose]();
    warning = undefined;
  };
  const arm = (): void => {
    timer = clock.wake(after(clock.now(), limitMs), () => {
      if (parts.isReading()) warning = parts.warning({ code: 'no-standby', message });
      else arm();
    });
    timer.unref?.();
  };
  return {
    set(members) {
      const candidates = members.filter(({ isCandidate }) => isCandidate).length;
      hadEnough ||= candidates >= enough;
      if (candidates >= enough) end();
      else if (hadEnough && timer === undefined) arm();
    },
    [Symbol.dispose]: end,
  };
}
