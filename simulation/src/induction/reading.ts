// Members read the logs of the partitions in log order, each at its own pace.
import { localAt } from '../kernel/clock.ts';
import { there } from '../kernel/random.ts';
import { take } from './engine.ts';
import { judgeHeard } from './judge.ts';
import { reply } from './logs.ts';
import { type Entry, endOf, type Node, type Reader, type World } from './world.ts';

/** Processes the entries of a reply one by one, then requests the next reply or waits. */
export function fetched(world: World, node: Node, partition: number, upTo: number): void {
  const log = there(world.logs[partition]);
  const reader = there(node.readers[partition]);
  const last = world.now < node.starvedUntil ? Math.min(upTo, reader.position + 1) : upTo;
  while (reader.position < last) {
    const entry = there(log.entries[reader.position - log.start]);
    reader.position += 1;
    hear(world, node, partition, reader, entry);
  }
  if (reader.position < endOf(log)) reply(world, node, partition);
  else reader.waiting = true;
}

function hear(world: World, node: Node, partition: number, reader: Reader, entry: Entry): void {
  const { beat, stampedMs, epoch } = entry;
  if (epoch !== reader.epoch) {
    reader.epoch = epoch;
    reader.steps = -1;
    take(world, node, partition, { kind: 'restarted' });
  }
  const { provedAt: before, sent } = there(node.partitions[partition]);
  const receivedAt = localAt(node.clock, world.now);
  const sentAt = sent.find(({ id }) => id === beat.id)?.sentAt;
  take(world, node, partition, { kind: 'beat', beat, stampedMs, receivedAt });
  if (sentAt !== undefined && receivedAt - sentAt <= world.scenario.clockErrorMsMax)
    reader.steps = entry.steps;
  judgeHeard(world, node, partition, entry, before, reader.steps === entry.steps);
}
