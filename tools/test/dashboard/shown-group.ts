// A page of any state, for tests of what it shows: 1,000 partitions, 50 members, troubles, roles.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as Internal from '@leadership/dashboard/internal';
import { Subject } from 'rxjs';

type Snapshot = Internal.Snapshot;

/** What was built: no program can import this entry point without a condition. */
const bundle: string = new URL('../../../packages/dashboard/lib/internal.js', import.meta.url).href;
const { pageHandler } = (await import(bundle)) as typeof Internal;

/** The number of partitions. */
export const partitions = 1000;
/** The number of members. */
export const members = 50;

/** The name of a member. */
export const memberName = (index: number): string => `worker-${index % members}`;

/** A served page, and the state that it shows. */
export class ShownGroup implements AsyncDisposable {
  readonly address: string;
  readonly #leaders: string[] = Array.from({ length: partitions }, (_, n) => memberName(n));
  readonly #terms: Snapshot['terms'][number][] = [];
  readonly #leaderless = new Set([3, 17, 404]);
  readonly #changes = new Subject<void>();
  readonly #close: () => Promise<void>;
  /** When the present leases began. */
  #renewedMs = Date.now();

  private constructor(address: string, close: () => Promise<void>) {
    this.address = address;
    this.#close = close;
  }

  static async serve(): Promise<ShownGroup> {
    const server = createServer((...exchange) => handle(...exchange));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const shown: ShownGroup = new ShownGroup(address, async () => {
      handle.end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const handle = pageHandler({
      title: 'invoices',
      snapshot: () => shown.#snapshot(),
      changes$: shown.#changes,
    });
    return shown;
  }

  /** Lets another member lead a partition, and sends that. */
  move(partition: number, member: string): void {
    const now = Date.now();
    this.#leaders[partition] = member;
    this.#terms.push({ partition, member, token: String(now), fromMs: now });
    if (this.#terms.length > 60) this.#terms.shift();
    this.#changes.next();
  }

  /** Renews all leases, and sends that. */
  renew(): void {
    this.#renewedMs = Date.now();
    this.#changes.next();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  #snapshot(): Snapshot {
    const now = Date.now();
    const remainingMs = this.#renewedMs + 3000 - now;
    return {
      atMs: now,
      group: 'invoices',
      member: memberName(0),
      partitions,
      guarantees: { exclusive: true, failoverMsMax: 6000, assumes: ['drift'] } as never,
      ok: false,
      confirmedMsAgo: 0,
      troubles: [
        { code: 'unreachable', message: 'the store does not answer', sinceMs: 0, partition: 42 },
      ],
      warnings: [],
      leaders: this.#leaders.flatMap((member, partition) =>
        this.#leaderless.has(partition)
          ? []
          : [{ partition, member, token: String(partition), self: false, remainingMs }],
      ),
      roles: [{ partition: 7, names: ['mail', 'nightly-report'] }],
      members: Array.from({ length: members }, (_, n) => ({
        name: memberName(n),
        state: n === 9 ? 'leads, reports unreachable' : 'leads',
        sinceMs: 0,
        ...(n === 9 && { trouble: 'unreachable' }),
      })),
      terms: this.#terms,
      watchedSinceMs: 0,
    };
  }
}
