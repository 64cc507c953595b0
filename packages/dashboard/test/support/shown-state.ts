// The state that a page shows, from the messages that it has received.

import type { ShownMember, Snapshot } from '../../src/snapshot.ts';
import type { ObservedTerm } from '../../src/term-history.ts';

/** A message of the server. */
export interface Message {
  readonly clockMs: number;
  readonly isWhole?: boolean;
  readonly parts?: Readonly<Record<string, object | number>>;
  readonly gone?: readonly string[];
}

/** A leader as a page knows it. */
interface ShownLeader {
  readonly partition: number;
  readonly member?: string;
  readonly token?: string;
  /** When its lease ends, by the clock of the server. */
  readonly endsMs?: number;
}

/** The state that a page shows. */
export interface ShownState extends Pick<Snapshot, 'group' | 'ok' | 'partitions' | 'troubles'> {
  readonly clockMs: number;
  readonly leaders: readonly ShownLeader[];
  readonly roles: Snapshot['roles'];
  readonly members: readonly ShownMember[];
  readonly terms: readonly ObservedTerm[];
}

/** Reads messages as a page does. */
export class ShownParts {
  readonly #parts = new Map<string, object | number>();

  /** Returns the state after a message. */
  after({ clockMs, isWhole, parts = {}, gone = [] }: Message): ShownState {
    if (isWhole) this.#parts.clear();
    for (const name of gone) this.#parts.delete(name);
    for (const [name, part] of Object.entries(parts)) this.#parts.set(name, part);
    const partitions = this.#all('partition ').map(([key, part]) => ({
      partition: Number(key),
      ...(part as { member?: string; lease?: number | true; roles?: string[] }),
    }));
    const state = {
      clockMs,
      ...(this.#parts.get('group') as object),
      ...(this.#parts.get('problems') as object),
      leaders: partitions
        .filter(({ member }) => member !== undefined)
        .map(({ lease, ...leader }) => ({
          ...leader,
          endsMs: lease === true ? this.#parts.get(`lease ${leader.member}`) : lease,
        })),
      roles: partitions.flatMap(({ partition, roles }) =>
        roles === undefined ? [] : [{ partition, names: roles }],
      ),
      members: this.#all('member ').map(([, member]) => member),
      terms: this.#all('term ').map(([, term]) => term),
    };
    return state as unknown as ShownState;
  }

  #all(prefix: string): readonly (readonly [string, object | number])[] {
    return [...this.#parts]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, part]) => [name.slice(prefix.length), part] as const);
  }
}
