// Reads the settings that a group has fixed (its pin) from the topic.
import { type LedgerEvent, pinRegister } from '@leadership/core/internal/lease';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import { limitsOf, type MemberContext } from '../member-context.ts';
import { readToEnd } from './read-to-end.ts';
import { parseRecord } from './record-format.ts';

/**
 * Yields only the group's pin. In a topic with too few partitions, the pin shows whether this
 * member is the one with a different configuration (R3).
 */
export async function* readPin(
  context: MemberContext,
  connection: ClusterConnection,
): AsyncGenerator<LedgerEvent> {
  const { topic, group, clock } = context;
  const records = await readToEnd(connection, 0, {
    topic,
    clock,
    limitMs: limitsOf(context).limitMs,
  });
  const receivedAt = clock.now();
  let isPinned = false;
  for (const { value } of records) {
    const what = parseRecord(0, value);
    if (what.kind !== 'record' || what.group !== group || what.record.partition !== pinRegister)
      continue;
    isPinned = true;
    yield { kind: 'record', record: what.record, receivedAt };
  }
  // Without a pin, the end is not reported: this member must not write one.
  if (isPinned) yield { kind: 'end', partitions: [pinRegister] };
}
