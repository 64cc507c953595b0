/** A line of a log: the sent data and the broker's timestamp. */
interface Line {
  readonly text: string;
  readonly stampedMs: number;
}

/** A partition's log. */
export interface TopicLog {
  /** The offset after the last line. */
  readonly end: number;
  append(text: string): void;
  /** Returns the retained lines from an offset on. */
  from(offset: number): readonly Line[];
  /** Calls the listener on every append until disposed. */
  listen(listener: () => void): Disposable;
}

/** The number of retained lines, which limits how far a reader may lag. */
const keptMax = 10_000;

/** Creates an empty log. */
export function topicLog(): TopicLog {
  const listeners = new Set<() => void>();
  let lines: Line[] = [];
  let start = 0;
  return {
    get end() {
      return start + lines.length;
    },
    append(text) {
      lines.push({ text, stampedMs: Math.floor(performance.now()) });
      const surplus = lines.length - keptMax;
      if (surplus > 0) {
        lines = lines.slice(surplus);
        start += surplus;
      }
      for (const listener of listeners) listener();
    },
    from: (offset) => lines.slice(Math.max(0, offset - start)),
    listen(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}
