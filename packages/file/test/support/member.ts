import type { Ledger, LedgerNews, LedgerRecord, Written } from '@leadership/core/ledger';
import { layoutOf } from '../../src/layout.ts';
import { fileLedger } from '../../src/ledger.ts';
import { type Store, storeAt } from '../../src/store.ts';
import type { Watch } from '../../src/watch.ts';
import { eventually } from './eventually.ts';
import { type FakeHost, fakeHost } from './fake-host.ts';

/** One member's ledger, followed. */
export interface Member extends AsyncDisposable {
  readonly host: FakeHost;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly news: readonly LedgerNews[];
  /** Why following ended. */
  readonly broke: Promise<unknown>;
  readonly register: string;
  /** The current record of partition 0, as far as was read. */
  current(): LedgerRecord | undefined;
  /** Resolves once the register has been read to its end. */
  opened(): Promise<void>;
  /** Writes the next record after `current()`. */
  writeNext(changes?: Partial<LedgerRecord>): Promise<Written>;
}

export interface MemberOptions {
  readonly member?: string;
  readonly group?: string;
  readonly pollMs?: number;
  readonly thresholdMs?: number;
  readonly campaign?: boolean;
  readonly partitions?: readonly number[];
  readonly watch?: Watch;
  /** Runs while a record is under way, before it is linked into place: where a member may be paused. */
  readonly paused?: () => Promise<void>;
}

/** So long that only watches can be what told: a test that needs a poll says so. Milliseconds. */
const pollMsNever = 600_000;

export function openMember(directory: string, options: MemberOptions = {}): Member {
  const { member = 'm', group = 'g', pollMs = pollMsNever, thresholdMs = 1000, campaign = true, partitions = [0], watch } = options;
  const host = fakeHost(member);
  const store = pausing(storeAt({ directory, group, pollMs, thresholdMs, ...(watch && { watch }) }, host), options.paused);
  const ledger = fileLedger(store, { group, thresholdMsMax: 5000, campaign });
  const stop = new AbortController();
  const news: LedgerNews[] = [];
  let current: LedgerRecord | undefined;
  let sequence = 0;
  const follow = async (): Promise<void> => {
    for await (const item of ledger.news(partitions, stop.signal)) {
      if (item.kind === 'restarted') current = undefined;
      if (item.kind === 'record' && item.record.partition === 0 && item.record.height > (current?.height ?? -1)) current = item.record;
      news.push(item);
    }
  };
  const broke = follow().then(
    () => undefined,
    (error: unknown) => error,
  );
  return {
    host,
    store,
    ledger,
    news,
    broke,
    register: layoutOf(directory, group).register(0),
    current: () => current,
    opened: () => eventually('the register is read to its end', () => news.some((item) => item.kind === 'end')).then(() => undefined),
    async writeNext(changes = {}) {
      sequence += 1;
      const id = `${member}/${host.incarnation}/${sequence}`;
      const place = { group, partition: 0, after: current?.id ?? null, height: (current?.height ?? -1) + 1 };
      const token = current?.token ?? 1n;
      const record = { ...place, id, member, incarnation: host.incarnation, kind: 'hold', token, thresholdMs, ...changes };
      const written = await ledger.write(record, stop.signal);
      if (written === 'in-effect') current = record;
      return written;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ledger.close();
      await broke;
    },
  };
}

/** Writes `count` versions, one after the other. */
export async function writeMany(member: Member, count: number): Promise<void> {
  for (let written = 0; written < count; written += 1) await member.writeNext();
}

function pausing(store: Store, paused: MemberOptions['paused']): Store {
  const { scratch } = store;
  if (paused === undefined) return store;
  const put = async (text: string, durable: boolean): Promise<string> => {
    if (durable) await paused();
    return scratch.put(text, durable);
  };
  return { ...store, scratch: { ...scratch, put } };
}
