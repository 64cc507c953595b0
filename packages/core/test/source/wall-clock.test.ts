import { describe, expect, it } from 'vitest';
import type { LeadershipEvent } from '../../src/contract/event.ts';
import { steeredSource } from '../support/steered-backend.ts';

describe('the times that a source reports', () => {
  it('come from its clock: of events, troubles and terms', async () => {
    const { source, host, clock, grant } = steeredSource();
    const events: LeadershipEvent[] = [];
    const subscription = source.events$.subscribe((event) => events.push(event));
    const startedAt = clock.wallMicros() / 1000;
    await clock.pass(500);
    grant(1n);
    await clock.pass(100);
    host.trouble('unreachable', 'away');
    expect(events.find(({ kind }) => kind === 'acquired')?.at).toBe(startedAt + 500);
    expect(source.role(0).term()?.since.getTime()).toBe(startedAt + 500);
    expect(source.health().troubles[0]?.since.getTime()).toBe(startedAt + 600);
    subscription.unsubscribe();
  });
});
