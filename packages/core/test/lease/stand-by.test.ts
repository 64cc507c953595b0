import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/memory/memory-rows.ts';
import { commandOf } from '../../src/source/command.ts';
import { rowsMember, thresholdMs } from '../support/rows-member.ts';

/** Opens a member in a group of two partitions whose commands the test can call. */
function standing(options: Parameters<typeof rowsMember>[1] = {}, store = new MemoryStore()) {
  const member = rowsMember(store, { partitions: 2, ...options });
  const command = commandOf(member.source);
  if (command === undefined) throw new Error('every source has commands');
  const led = (): readonly number[] => [...member.source.held().keys()].sort();
  const ownerOf = (partition: number): unknown =>
    JSON.parse(store.rows.rows.get(`partition#${partition}`) ?? '{}').kind;
  const close = async (): Promise<void> => {
    const closing = member.source.close();
    await member.clock.pass(2 * thresholdMs);
    await closing;
  };
  return { ...member, store, command, led, ownerOf, close };
}

describe('a lease whose candidates another source decides', () => {
  it('campaigns where standBy says so, with tokens above the given one (T1)', async () => {
    const { source, command, clock, led, close } = standing({ campaign: true });
    command.standBy(0, undefined);
    await clock.pass(3 * thresholdMs);
    expect([led(), source.role(0).isLeading()]).toEqual([[1], false]);
    const above = 10n ** 18n;
    command.standBy(0, above);
    await clock.pass(10);
    expect(led()).toEqual([0, 1]);
    expect(source.role(0).term()?.token).toBe(above + 1n);
    await close();
  });

  it('keeps what it should lead, whatever the placement prefers', async () => {
    const { command, clock, led, store, close } = standing();
    for (const partition of [0, 1]) command.standBy(partition, 1n);
    await clock.pass(10);
    expect(led()).toEqual([0, 1]);
    const other = standing({ member: 'b' }, store);
    for (let ms = 0; ms < 5 * thresholdMs; ms += 10) {
      await clock.pass(10);
      await other.clock.pass(10);
    }
    expect([led(), other.led()]).toEqual([[0, 1], []]);
    await other.close();
    await close();
  });

  it('releases a partition that it must not lead, after its work (H2)', async () => {
    const { source, command, clock, led, ownerOf, close } = standing();
    command.standBy(0, 1n);
    await clock.pass(10);
    let settle = (): void => undefined;
    void source.role(0).ifLeading(
      () =>
        new Promise<void>((resolve) => {
          settle = resolve;
        }),
    );
    command.standBy(0, undefined);
    await clock.pass(10);
    expect([led(), ownerOf(0)]).toEqual([[0, 1], 'hold']);
    settle();
    await clock.pass(10);
    expect([led(), ownerOf(0)]).toEqual([[1], 'release']);
    await clock.pass(5 * thresholdMs);
    expect(led()).toEqual([1]);
    await close();
  });

  it('leads again at once after a resignation if standBy says so (M9)', async () => {
    const { source, command, clock, led, close } = standing();
    command.standBy(0, 1n);
    await clock.pass(10);
    const resigned = source.role(0).resign();
    await clock.pass(10);
    await resigned;
    expect(led()).toEqual([1]);
    command.standBy(0, 2n);
    await clock.pass(10);
    expect(led()).toEqual([0, 1]);
    await close();
  });

  it('never leads if it only observes', async () => {
    const store = new MemoryStore();
    const { clock: opening, close: closeOpener } = standing({ member: 'opener' }, store);
    await opening.pass(10);
    await closeOpener();
    const { command, clock, led, close } = standing({ campaign: false }, store);
    command.standBy(0, 1n);
    await clock.pass(5 * thresholdMs);
    expect(led()).toEqual([]);
    await close();
  });
});
