import { type LedgerNews, pinRegister } from '@leadership/core/ledger';
import { chains } from './chains.ts';
import type { Link } from './link.ts';
import { readRecord } from './read-record.ts';
import { readToEnd } from './read-to-end.ts';
import { limitsOf, type Wiring } from './wiring.ts';

/** The group's pin alone: where the topic has too few partitions, it may say that it is this member who is configured differently (R3). */
export async function* pinNews(wiring: Wiring, link: Link): AsyncGenerator<LedgerNews> {
  const { topic, group, clock } = wiring;
  const own = chains();
  for (const { value, offset } of await readToEnd(link, 0, { topic, clock, limitMs: limitsOf(wiring).limitMs })) {
    const what = readRecord(0, value);
    if (what.kind === 'record') own.note(what.record, offset);
  }
  const pin = own.current(group, pinRegister);
  if (pin) yield { kind: 'record', record: pin.record, receivedAt: clock.now() };
  if (pin) yield { kind: 'end', partitions: [pinRegister] };
}
