import { describe, expect, it } from 'vitest';
import { allOf } from '../../src/combine/combine.ts';
import type { Term } from '../../src/contract/term.ts';
import { combinedBy } from '../support/combined.ts';
import { turn } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

describe('a drain that takes more than half of its time', () => {
  it('causes a warning until the work has drained', async () => {
    const { source, grant, clock } = steeredSource({ log: false, drainTimeoutMs: 1000 });
    let finish = (): void => undefined;
    void source.role(0).lead(() => new Promise<void>((resolve) => (finish = resolve)));
    grant(7n, 60_000);
    const closed = source.close();
    await clock.pass(499);
    expect(source.health().warnings).toEqual([]);
    await clock.pass(1);
    const rule =
      'the work of partition 0 still runs after half of drainTimeoutMs (1000), and will be fenced after all of it';
    const message = `${rule}; let work return soon after term.signal aborts, or raise drainTimeoutMs`;
    expect(source.health().warnings).toMatchObject([{ code: 'slow-drain', message, partition: 0 }]);
    finish();
    await closed;
    expect([source.health().warnings, clock.pending]).toEqual([[], 0]);
  });

  it('leaves no warning behind if a subscriber ends the drain', async () => {
    const { source, grant, clock } = steeredSource({ log: false, drainTimeoutMs: 1000 });
    source.events$.subscribe(
      ({ kind }) => void (kind === 'warning' && source.close({ signal: AbortSignal.abort() })),
    );
    void source.role(0).lead(() => new Promise<void>(() => undefined));
    grant(7n, 60_000);
    void source.role(0).resign();
    await clock.pass(500);
    expect([source.health().warnings, clock.pending]).toEqual([[], 0]);
  });

  it('because work awaits lead() inside lead() is explained in the warning', async () => {
    const { source, grant, clock } = steeredSource({ log: false, drainTimeoutMs: 1000 });
    void source.role(0).lead(async () => await source.role(1).lead(() => undefined));
    grant(7n, 60_000);
    void source.close();
    await clock.pass(500);
    const remedy = 'pass { signal: term.signal } to lead(), or do not await lead()';
    expect(source.health().warnings).toMatchObject([{ message: expect.stringContaining(remedy) }]);
    await clock.pass(500);
    expect([source.role(0).isLeading(), clock.pending]).toEqual([false, 0]);
  });

  it('does not follow from lead() inside lead() with the term’s signal', async () => {
    const { source, grant, clock } = steeredSource({ log: false, drainTimeoutMs: 1000 });
    void source
      .role(0)
      .lead(async ({ signal }: Term) => await source.role(1).lead(() => undefined, { signal }));
    grant(7n, 60_000);
    await source.close();
    expect(clock.pending).toBe(0);
  });

  it('causes a warning in a combination too', async () => {
    const { source, a, b } = combinedBy(allOf, { log: false, drainTimeoutMs: 1000 });
    let finish = (): void => undefined;
    void source.role(0).lead(() => new Promise<void>((resolve) => (finish = resolve)));
    a.grant(7n, 60_000);
    b.grant(8n, 60_000);
    const closed = source.close();
    await turn();
    await a.clock.pass(600);
    expect(source.health().warnings).toContainEqual(
      expect.objectContaining({ code: 'slow-drain', partition: 0 }),
    );
    finish();
    await closed;
  });
});
