import type { Beat } from './beat.ts';

/** Beats that are due at the same moment, sent in one go: one for each partition, and the broker is asked once. */
export interface Outbox {
  put(beat: Beat, settled: (isWritten: boolean) => void): void;
}

interface Letter {
  readonly beat: Beat;
  readonly settled: (isWritten: boolean) => void;
}

/** `send` rejects where a beat may not have been written; its error goes to `failed`. */
export function outbox(send: (beats: readonly Beat[]) => Promise<void>, failed: (error: unknown) => void): Outbox {
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
