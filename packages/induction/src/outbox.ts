// Collects the beats of a member's partitions before they are sent.
import type { Beat } from './beat.ts';

/**
 * Batches beats that are due at the same moment, for all partitions, into one request to the
 * broker.
 */
export interface Outbox {
  put(beat: Beat, settled: (isWritten: boolean) => void): void;
}

interface Letter {
  readonly beat: Beat;
  readonly settled: (isWritten: boolean) => void;
}

/**
 * Creates an outbox. `send` must reject if a beat may not have been written; `failed` receives the
 * error.
 */
export function outbox(
  send: (beats: readonly Beat[]) => Promise<void>,
  failed: (error: unknown) => void,
): Outbox {
  let letters: Letter[] = [];
  const settle = (sent: readonly Letter[], isWritten: boolean): void => {
    for (const { settled } of sent) settled(isWritten);
  };
  const empty = (): void => {
    const sent = letters;
    letters = [];
    const fail = (error: unknown): void => {
      failed(error);
      settle(sent, false);
    };
    send(sent.map(({ beat }) => beat)).then(() => settle(sent, true), fail);
  };
  return {
    put(beat, settled) {
      letters.push({ beat, settled });
      if (letters.length === 1) void Promise.resolve().then(empty);
    },
  };
}
