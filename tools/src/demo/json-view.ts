import type { Writable } from 'node:stream';
import type { DemoEvent, Summary } from './demo-event.ts';
import type { View } from './view.ts';

/**
 * Writes the members' `events$` as JSON lines, together with the demo's own actions (`started`,
 * `crashed`, `asked`) and a final `summary`. `atNs` is read from the host's monotonic clock. Tokens
 * and instants are decimal strings.
 */
export function jsonView(out: Writable): View {
  const write = (data: object): void => void out.write(`${JSON.stringify(data, plain)}\n`);
  return {
    show(demoEvent) {
      const data = logged(demoEvent);
      if (data) write(data);
    },
    finish: ({ setup, successions, terms, observations: looks, broken }: Summary) =>
      write({
        kind: 'summary',
        ok: broken.length === 0,
        ...setup,
        successions,
        terms,
        looks,
        broken,
      }),
    [Symbol.dispose]: () => undefined,
  };
}

function logged(demoEvent: DemoEvent): object | undefined {
  switch (demoEvent.kind) {
    case 'event':
      return { ...demoEvent.event, atNs: demoEvent.atNs };
    case 'started':
    case 'crashed':
    case 'asked':
      return { at: Date.now(), ...demoEvent };
    default:
      return undefined;
  }
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
