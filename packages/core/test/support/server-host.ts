import type { ServerHost } from '../../src/rows/notifications.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

/** The host of rows of a server, with its present reports as `LEVEL: MESSAGE`. */
export interface RecordingServerHost extends ServerHost {
  readonly clock: ManualClock;
  readonly present: ReadonlySet<string>;
  /** All reports so far. */
  readonly calls: readonly string[];
}

export function serverHost(random = 0): RecordingServerHost {
  const [present, calls] = [new Set<string>(), [] as string[]];
  const noting =
    (level: string): ServerHost['trouble'] =>
    (_, message) => {
      const report = `${level}: ${message}`;
      calls.push(report);
      present.add(report);
      return { [Symbol.dispose]: () => void present.delete(report) };
    };
  return {
    incarnation: 'life',
    clock: manualClock(),
    random: () => random,
    confirmed: () => undefined,
    trouble: noting('trouble'),
    warning: noting('warning'),
    present,
    calls,
  };
}
