// Detects two live processes under one member name. If both receive, each starts again with a
// greater generation whenever it meets the other. If messages to that name reach only one of them,
// the other one goes on under an older generation.
import { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import type { MembershipShell } from '@leadership/core/internal';
import type { Row } from '../protocol/gossip/node.ts';

interface Life {
  generation: number;
  /** When later generations were first met. */
  starts: readonly Instant[];
  /** An older generation that goes on: its greatest beat, and when it was first met again. */
  older:
    | { readonly generation: number; readonly beat: number; readonly since: Instant }
    | undefined;
}

/** A process that ends again and again starts less often than that in two T, unless it is quick. */
const startsMax = 5;
/** A datagram of a process that has ended arrives within this part of T. */
const lateShare = 1 / 4;
/** The greatest number of names that are remembered. */
const namesMax = 1024;

/** Tracks the generations of the members that send messages to this one. */
export class DuplicateNames {
  readonly #shell: MembershipShell;
  readonly #thresholdMs: number;
  readonly #lives = new Map<string, Life>();

  constructor(shell: MembershipShell, thresholdMs: number) {
    this.#shell = shell;
    this.#thresholdMs = thresholdMs;
  }

  /** A message of a member has arrived, with its own row. */
  heard({ name, generation, beat }: Row): void {
    const now = this.#shell.host.clock.now();
    const life = this.#lives.get(name) ?? this.#add(name, generation);
    if (generation > life.generation) this.#startedAgain(name, life, generation, now);
    else if (generation < life.generation) this.#goesOn(name, life, { generation, beat }, now);
  }

  #startedAgain(name: string, life: Life, generation: number, now: Instant): void {
    const spanMs = 2 * this.#thresholdMs;
    life.generation = generation;
    life.starts = [...life.starts.filter((at) => now - at < spanMs), now];
    if (life.starts.length >= startsMax)
      this.#raise(
        name,
        `member "${name}" has started again ${startsMax} times within ${spanMs} ms: two live processes use that name and displace each other, or its process ends again and again`,
      );
  }

  #goesOn(
    name: string,
    life: Life,
    { generation, beat }: Pick<Row, 'generation' | 'beat'>,
    now: Instant,
  ): void {
    const { older } = life;
    if (older?.generation !== generation) {
      life.older = { generation, beat, since: now };
      return;
    }
    if (beat <= older.beat) return;
    life.older = { ...older, beat };
    if (now - older.since > lateShare * this.#thresholdMs)
      this.#raise(
        name,
        `two live processes take part as member "${name}": messages of a process arrive that another one has displaced`,
      );
  }

  #raise(name: string, sentence: string): void {
    const advice = 'Give each process a name of its own';
    const error = new LeadershipError('displaced', `${sentence}. ${advice}`);
    this.#shell.raiseBriefly(`duplicates of ${name}`, error);
  }

  #add(name: string, generation: number): Life {
    const life: Life = { generation, starts: [], older: undefined };
    const [oldest] = this.#lives.keys();
    if (this.#lives.size >= namesMax && oldest !== undefined) this.#lives.delete(oldest);
    this.#lives.set(name, life);
    return life;
  }
}
