import type { Writable } from 'node:stream';
import type { DemoEvent, Summary, View } from './demo-event.ts';

/**
 * Writes what the demo does (`started`, `killed`, `asked`) and what the members say (`campaigns`,
 * `leads`, `resigns`, `ended`, `says`) as JSON lines, and last a `summary`. `at` is the wall clock,
 * `atNs` the host's monotonic clock. Tokens and instants are decimal strings.
 */
export function jsonView(out: Writable): View {
  const write = (data: object): void => void out.write(`${JSON.stringify(data, plain)}\n`);
  return {
    show(demoEvent) {
      const data = logged(demoEvent);
      if (data) write({ at: Date.now(), ...data });
    },
    finish: ({ setup, broken, ...results }: Summary) =>
      write({ kind: 'summary', ok: broken.length === 0, ...setup, ...results, broken }),
    [Symbol.dispose]: () => undefined,
  };
}

function logged(demoEvent: DemoEvent): object | undefined {
  if (demoEvent.kind === 'member') {
    const { member, event } = demoEvent;
    return event.kind === 'worked' ? undefined : { member, ...event };
  }
  return demoEvent.kind === 'setup' || demoEvent.kind === 'succession' ? undefined : demoEvent;
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
