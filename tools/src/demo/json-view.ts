import type { Writable } from 'node:stream';
import type { News, Summary } from './news.ts';
import type { View } from './view.ts';

/**
 * The members' `events$` as JSON lines, with what was done to them (`started`, `crashed`, `asked`) in between and a `summary`
 * at the end. `atNs` is the host's monotonic clock; tokens and instants are decimal strings.
 */
export function jsonView(out: Writable): View {
  const write = (data: object): void => void out.write(`${JSON.stringify(data, plain)}\n`);
  return {
    show(news) {
      const data = logged(news);
      if (data) write(data);
    },
    finish: ({ setting, ...rest }: Summary) => write({ kind: 'summary', ok: rest.broken.length === 0, ...setting, ...rest }),
    [Symbol.dispose]: () => undefined,
  };
}

function logged(news: News): object | undefined {
  switch (news.kind) {
    case 'event':
      return { ...news.event, atNs: news.atNs };
    case 'started':
    case 'crashed':
    case 'asked':
      return { at: Date.now(), ...news };
    default:
      return undefined;
  }
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
