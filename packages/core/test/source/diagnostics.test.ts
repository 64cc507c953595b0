import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { memoryGroup } from '../../src/memory.ts';

test('the channel leadership:event receives the events of a source that has no subscriber', async () => {
  const group = `diagnostics-${crypto.randomUUID()}`;
  const received: string[] = [];
  const onEvent = (message: unknown): void => {
    const { group: from, event } = message as { group: string; event: { kind: string } };
    if (from === group) received.push(event.kind);
  };
  subscribe('leadership:event', onEvent);
  try {
    const source = memoryGroup(group).join({ partitions: 1, thresholdMs: 1000 });
    await expect.poll(() => received).toContain('acquired');
    await source.close();
    expect(received.slice(-2)).toEqual(['released', 'closed']);
  } finally {
    unsubscribe('leadership:event', onEvent);
  }
});
