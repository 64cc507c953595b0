/** A line as the broker wrote it: what was sent, and when by the broker's clock. */
interface Line {
  readonly text: string;
  readonly stampedMs: number;
}

/** A partition's log. */
export interface TopicLog {
  /** The offset behind the last line. */
  readonly end: number;
  append(text: string): void;
  /** The lines from that offset on, as far as they are still there. */
  from(offset: number): readonly Line[];
  /** Is told of every append until disposed. */
  listen(told: () => void): Disposable;
}

/** As many lines as a reader may be behind. */
const keptMax = 10_000;

/** An empty log. */
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
      for (const told of listeners) told();
    },
    from: (offset) => lines.slice(Math.max(0, offset - start)),
    listen(told) {
      listeners.add(told);
      return { [Symbol.dispose]: () => void listeners.delete(told) };
    },
  };
}
