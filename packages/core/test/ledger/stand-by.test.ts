import { describe, expect, it } from 'vitest';
import type { SourceOptions } from '../../src/contract/options.ts';
import { pinRegister } from '../../src/ledger/record.ts';
import { commandOf } from '../../src/source/command.ts';
import { electionOf, thresholdMs } from '../support/ledger-source.ts';
import { turn } from '../support/manual-clock.ts';
import { pin, type SteeredLedger } from '../support/steered-ledger.ts';

/** Opens a member in a group of two partitions whose commands the test can call. */
async function standing(
  options: SourceOptions = {},
  prepare: (store: SteeredLedger) => void = () => undefined,
) {
  const election = electionOf(options, prepare);
  const command = commandOf(election.source);
  if (command === undefined) throw new Error('every source has commands');
  const led = (): readonly number[] => [...election.source.held().keys()];
  await turn();
  return { ...election, command, led };
}

describe('a ledger whose candidates another source decides', () => {
  it('campaigns where standBy says so, whatever the placement says, and with tokens above the given one (T1)', async () => {
    const { source, store, command, clock, led } = await standing({ campaign: true });
    command.standBy(0, undefined);
    await clock.pass(10);
    expect([led(), source.role(0).isLeading()]).toEqual([[1], false]);
    store.rank(0, ['somebody else']);
    const above = 10n ** 18n;
    command.standBy(0, above);
    await clock.pass(10);
    expect(led()).toEqual([0, 1]);
    expect(source.role(0).term()?.token).toBe(above + 1n);
    store.rank(0, ['somebody else']);
    await clock.pass(3 * thresholdMs);
    const request = {
      partition: 0,
      id: 'request',
      incarnation: 'somebody else',
      member: 'x',
      thresholdMs,
    };
    store.receive({ ...request, receivedAt: clock.now() });
    await clock.pass(10);
    expect(source.role(0).term()?.token).toBe(above + 1n);
    await source.close();
  });

  it('hands over a partition that it must not lead, after its work (H2)', async () => {
    const { source, store, command, clock, led } = await standing();
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
    expect([led(), store.current.get(0)?.kind]).toEqual([[0, 1], 'hold']);
    settle();
    await clock.pass(10);
    expect([led(), store.current.get(0)?.kind]).toEqual([[1], 'release']);
    await clock.pass(5 * thresholdMs);
    expect(led()).toEqual([1]);
    await source.close();
  });

  it('leads again at once after a resignation if standBy says so (L9)', async () => {
    const { source, command, clock, led } = await standing();
    command.standBy(0, 1n);
    await clock.pass(10);
    await source.role(0).resign();
    expect(led()).toEqual([1]);
    command.standBy(0, 2n);
    await clock.pass(10);
    expect(led()).toEqual([0, 1]);
    await source.close();
  });

  it('never leads if it only observes', async () => {
    const { source, command, clock, led } = await standing({ campaign: false }, (store) =>
      store.current.set(pinRegister, pin({ partitions: '2', thresholdMsMax: String(thresholdMs) })),
    );
    command.standBy(0, 1n);
    await clock.pass(5 * thresholdMs);
    expect(led()).toEqual([]);
    await source.close();
  });
});
