// The rows of a group as a watch shows them: each change in the order in which the API server has made it.
import { EventEmitter, once } from 'node:events';
import type { WatchEvent } from './api.ts';
import { type FoundRow, type Listing, rowIn, versionOf } from './lease.ts';

/** The rows of a group, which a watch keeps up to date. */
export class Watched {
  readonly #group: string;
  readonly #events = new EventEmitter<{ taken: [] }>().setMaxListeners(0);
  /** The version that the rows are of. */
  revision = 0n;
  #rows = new Map<string, FoundRow>();

  constructor(group: string) {
    this.#group = group;
  }

  /** The rows now. */
  get listing(): Listing {
    return { rows: new Map(this.#rows), revision: this.revision };
  }

  /** Begins with rows that were listed. */
  begin({ rows, revision }: Listing): void {
    this.#rows = new Map(rows);
    this.revision = revision;
  }

  /** Takes an event. Returns the row that its object is, or was. A bookmark only says how far the watch is. */
  take({ type, object }: WatchEvent): FoundRow | undefined {
    if (object === undefined) return undefined;
    const row = rowIn(this.#group, object);
    if (row && type !== 'DELETED') this.#rows.set(row.name, row);
    // A row may have become another object.
    else this.#remove(object.metadata?.name);
    this.revision = versionOf(object);
    this.#events.emit('taken');
    return row;
  }

  /** Resolves once the row of that name differs from `before`, or the signal aborts. */
  async changed(name: string, before: FoundRow | undefined, signal: AbortSignal): Promise<void> {
    const versionIn = (row?: FoundRow): string | undefined => row?.object.metadata?.resourceVersion;
    while (!signal.aborted && versionIn(this.#rows.get(name)) === versionIn(before))
      await once(this.#events, 'taken', { signal }).catch(() => undefined);
  }

  #remove(objectName: string | undefined): void {
    for (const [name, { object }] of this.#rows)
      if (object.metadata?.name === objectName) this.#rows.delete(name);
  }
}
