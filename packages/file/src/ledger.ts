import { LeadershipError } from '@leadership/core';
import type { Ledger, LedgerNews, LedgerRecord, Written } from '@leadership/core/ledger';
import { bell } from './bell.ts';
import { fileError } from './errors.ts';
import { follow } from './news.ts';
import { prepare } from './prepare.ts';
import { isPruneDue, prune } from './prune.ts';
import { put } from './put.ts';
import { registersOf } from './registers.ts';
import type { Store } from './store.ts';
import { fileWants } from './wants.ts';

/** What the group's members agree on, and whether this one writes at all. */
export interface FileLedgerOptions {
  readonly group: string;
  readonly thresholdMsMax: number;
  readonly campaign: boolean;
}

/** A directory as a ledger: one directory per register, one file per version of it. */
export function fileLedger(store: Store, { group, thresholdMsMax, campaign }: FileLedgerOptions): Ledger {
  const { layout, scratch, busy, clock, host, pollMs, thresholdMs } = store;
  const stirring = bell(clock);
  let closed = false;
  const wants = fileWants(store);
  const parts = { clock, scratch, watches: store.watches, stirred: () => stirring.ring() };
  const registers = registersOf(layout, { group, thresholdMsMax }, parts);
  const tidy = (directory: string, number: number): void => {
    // What cannot be removed now is removed next time.
    busy.with(prune(directory, number)).catch(() => undefined);
  };
  async function* news(partitions: readonly number[], signal: AbortSignal): AsyncGenerator<LedgerNews> {
    const following = { clock, pollMs, bell: stirring, busy, isOver: () => closed, confirmed: () => host.confirmed() };
    try {
      await busy.with(prepare(layout, scratch, campaign));
      if (!closed) yield* follow(partitions.map(registers.of), following, signal);
    } catch (error) {
      throw fileError(error, layout.group);
    }
  }
  async function write(record: LedgerRecord, signal: AbortSignal): Promise<Written> {
    if (closed) throw new LeadershipError('closed', `${layout.group}: the ledger is closed`);
    const register = registers.of(record.partition);
    try {
      const written = await busy.with(put(register, record, scratch, () => closed || signal.aborted));
      if (written === 'in-effect' && signal.aborted) register.retell();
      if (written === 'in-effect' && isPruneDue(record.height + 1)) tidy(register.directory, record.height + 1);
      return written;
    } catch (error) {
      throw fileError(error, register.directory);
    }
  }
  return {
    shape: 'register',
    news,
    write,
    wants,
    reread: (partition) => registers.of(partition).forget(),
    async close() {
      closed = true;
      stirring.ring();
      for (const register of registers) register.close();
      await busy.over(clock, thresholdMs);
      await wants.close().catch(() => undefined);
    },
  };
}
