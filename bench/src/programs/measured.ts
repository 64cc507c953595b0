// In a member process whose backend is a module of the benchmarks: logs what the module measures.
import { writeSync } from 'node:fs';

const periodMs = 500;

/** Logs an event `measured` with this detail. */
export function logMeasured(detail: object): void {
  const event = { atNs: String(process.hrtime.bigint()), kind: 'measured' };
  writeSync(1, `${JSON.stringify({ ...event, detail: JSON.stringify(detail) })}\n`);
}

/** Logs these numbers twice a second. */
export function logTotals(totals: () => Readonly<Record<string, number>>): void {
  setInterval(() => logMeasured(totals()), periodMs);
}
