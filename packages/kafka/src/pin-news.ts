import { type LedgerNews, pinRegister } from '@leadership/core/ledger';
import type { Link } from './link.ts';
import { readRecord } from './read-record.ts';
import { readToEnd } from './read-to-end.ts';
import { limitsOf, type Wiring } from './wiring.ts';

/**
 * Yields only the group's pin. In a topic with too few partitions, the pin shows whether this
 * member is the one with a different configuration (R3).
 */
export async function* pinNews(wiring: Wiring, link: Link): AsyncGenerator<LedgerNews> {
  const { topic, group, clock } = wiring;
  const records = await readToEnd(link, 0, { topic, clock, limitMs: limitsOf(wiring).limitMs });
  const receivedAt = clock.now();
  let isPinned = false;
  for (const { value } of records) {
    const what = readRecord(0, value);
    if (what.kind !== 'record' || what.group !== group || what.record.partition !== pinRegister) continue;
    isPinned = true;
    yield { kind: 'record', record: what.record, receivedAt };
  }
  // Without a pin, the end is not reported: this member must not write one.
  if (isPinned) yield { kind: 'end', partitions: [pinRegister] };
}
