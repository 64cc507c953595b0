// Detects two live processes under one member name. If both receive, each starts again with a
// greater generation whenever it meets the other. If messages to that name reach only one of them,
// the other one goes on under an older generation. It knows the voters and nobody else, so those
// that receive its messages publish that, for all other members.
import { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import { after, keepLatest, type MembershipShell } from '@leadership/core/internal/engine';
import type { Entry, Node, Row } from '../protocol/gossip/node.ts';

/** An earlier generation of a name. */
interface Earlier {
  readonly generation: number;
  /** Its greatest beat. A recorded datagram has none that is greater. */
  beat: number;
  /** When it was first met after a later generation, with a greater beat than before. */
  since: Instant | undefined;
}

interface Life {
  generation: number;
  /** The greatest beat of this generation that any member is known to have received. */
  beat: number;
  /** When later generations were first met. */
  starts: readonly Instant[];
  earlier: readonly Earlier[];
}

/** A process that ends again and again starts less often than that in two T, unless it is quick. */
const startsMax = 5;
/** A datagram of a process that has ended arrives within this part of T. */
const lateShare = 1 / 4;
/** The number of earlier generations of a name that are remembered. */
const earlierMax = 4;
/** The greatest number of names that are remembered. */
const namesMax = 1024;
/** The first character of the keys that name a member of which two processes take part. */
const ofDuplicates = '!';
/** The greatest number of such keys of one member. */
const publishedMax = 4;
/** How long a key is published after the last message of the older process, in T. */
const publishedThresholds = 5;

/** Tracks the generations of the members that send messages to this one. */
export class DuplicateNames {
  readonly #shell: MembershipShell;
  readonly #thresholdMs: number;
  readonly #lives = new Map<string, Life>();
  /** By name: until when this member publishes that two processes use it. */
  readonly #published = new Map<string, Instant>();

  constructor(shell: MembershipShell, thresholdMs: number) {
    this.#shell = shell;
    this.#thresholdMs = thresholdMs;
  }

  /** A message of a member has arrived, with its own row. */
  seen({ name, generation, beat }: Row): void {
    const now = this.#shell.host.clock.now();
    const life = this.#lives.get(name) ?? this.#add(name, generation);
    if (generation > life.generation) this.#startedAgain(name, life, generation, now);
    else if (generation < life.generation) this.#goesOn(name, life, { generation, beat }, now);
    if (generation === life.generation) life.beat = Math.max(life.beat, beat);
  }

  /**
   * Publishes what this member has seen, withdraws what is over, and reports what other members
   * publish. Called once per round.
   */
  exchange(
    members: Iterable<Pick<Node<unknown>, 'name' | 'generation' | 'beat' | 'entries'>>,
    write: (key: string, value: string | undefined) => void,
  ): void {
    const now = this.#shell.host.clock.now();
    for (const [name, until] of this.#published) {
      const isOver = now >= until;
      write(ofDuplicates + name, isOver ? undefined : '');
      if (isOver) this.#published.delete(name);
    }
    for (const { name: member, generation, beat, entries } of members) {
      const life = this.#lives.get(member);
      if (life?.generation === generation) life.beat = Math.max(life.beat, beat);
      for (const name of namesIn(entries)) this.#raiseTwo(name);
    }
  }

  #startedAgain(name: string, life: Life, generation: number, now: Instant): void {
    const spanMs = 2 * this.#thresholdMs;
    note(life, { generation: life.generation, beat: life.beat, since: undefined });
    life.generation = generation;
    life.beat = 0;
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
    const known = life.earlier.find((one) => one.generation === generation);
    if (known === undefined) return note(life, { generation, beat, since: now });
    if (beat <= known.beat) return;
    known.beat = beat;
    known.since ??= now;
    if (now - known.since <= lateShare * this.#thresholdMs) return;
    this.#raiseTwo(name);
    if (this.#published.size < publishedMax || this.#published.has(name))
      this.#published.set(name, after(now, publishedThresholds * this.#thresholdMs));
  }

  #raiseTwo(name: string): void {
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
    const life: Life = { generation, beat: 0, starts: [], earlier: [] };
    keepLatest(this.#lives, name, life, namesMax);
    return life;
  }
}

function note(life: Life, one: Earlier): void {
  life.earlier = [...life.earlier, one].slice(-earlierMax);
}

/** The names that a member publishes. */
function namesIn(entries: ReadonlyMap<string, Entry>): readonly string[] {
  return [...entries].flatMap(([key, { value }]) =>
    value !== undefined && key.startsWith(ofDuplicates) ? [key.slice(ofDuplicates.length)] : [],
  );
}
