// A simulated process's source for one partition: the code that applications see, from core, with
// simulated work.
import type { LossReason } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import { Belief, type BeliefListener } from '@leadership/core/internal/engine';
import { clockOf } from './process.ts';
import { between, defined, happens } from './random.ts';
import { scheduleFor } from './timeline.ts';
import type { HostedPartition, HostedTerm, Process, World } from './world.ts';

/** The input by which the host ends a term. */
type HostInput =
  | { readonly kind: 'drained'; readonly partition: number }
  | { readonly kind: 'fenced'; readonly partition: number; readonly lapse: boolean };

/** The port through which a host reaches the process of its protocol. */
export interface HostPort<W extends World, Node extends Process> {
  feed(world: W, node: Node, input: HostInput): void;
  /** Returns the token of the term that drains, if one does. */
  drainingToken(node: Node, partition: number): bigint | undefined;
  /** A term has begun, or the current one was extended. */
  proved(world: W, node: Node, hosted: HostedPartition, isNew: boolean): void;
  /** The host ended a term. */
  ended(world: W, node: Node, hosted: HostedPartition, end: TermEnd): void;
}

/** The end of a term. */
export interface TermEnd {
  readonly loss: LossReason | 'released';
  /** Whether the member led up to this moment. The clock may have ended the term before. */
  readonly wasLeading: boolean;
}

/** Returns the state before the first term of a life. */
function noTerm(): HostedTerm {
  const term = termFrom(-1n);
  term.settled = true;
  term.ended = 'fenced';
  term.endedAt = Number.NEGATIVE_INFINITY;
  return term;
}

function termFrom(token: bigint): HostedTerm {
  return {
    token,
    settled: false,
    ended: 'no',
    endedAt: Number.POSITIVE_INFINITY,
    givenUp: false,
  };
}

/** Returns the host of every partition in a new life of a process. */
export function hostedPartitions<W extends World, Node extends Process>(
  world: W,
  node: Node,
  partitions: number,
  port: HostPort<W, Node>,
): readonly HostedPartition[] {
  return Array.from({ length: partitions }, (_, index) => new Hosted(world, node, index, port));
}

class Hosted<W extends World, Node extends Process> implements HostedPartition, BeliefListener {
  readonly belief: Belief;
  readonly partition: number;
  term: HostedTerm = noTerm();
  until: number = Number.NEGATIVE_INFINITY;
  readonly #world: W;
  readonly #node: Node;
  readonly #port: HostPort<W, Node>;

  constructor(world: W, node: Node, partition: number, port: HostPort<W, Node>) {
    this.#world = world;
    this.#node = node;
    this.#port = port;
    this.partition = partition;
    this.belief = new Belief(clockOf(world, node), this);
  }

  leads(): boolean {
    return this.#node.alive && this.#world.hostRules.believes(this.belief);
  }

  granted(token: bigint, until: Instant): boolean {
    const answer = this.belief.granted({ token, until }, clockOf(this.#world, this.#node).now());
    if (answer === 'over') {
      this.#feed({ kind: 'fenced', partition: this.partition, lapse: false });
      return false;
    }
    this.until = this.belief.until;
    this.#port.proved(this.#world, this.#node, this, answer === 'began');
    return true;
  }

  drain(token: bigint): void {
    const { partition } = this;
    const { hostRules, scenario } = this.#world;
    this.belief.drain(hostRules.drainTimeoutMs(scenario.draining.timeoutMs), (end) => {
      // The machine may have ended the term in another way meanwhile.
      if (this.#port.drainingToken(this.#node, partition) !== token) return;
      if (end === 'drained') this.#feed({ kind: 'drained', partition });
      else this.#feed({ kind: 'fenced', partition, lapse: hostRules.lapses });
    });
  }

  end(loss: LossReason | 'released'): void {
    this.belief.refresh();
    this.belief.end(loss);
  }

  began(token: bigint): void {
    this.term = termFrom(token);
  }

  revoked(): void {
    const { random, scenario } = this.#world;
    const { ms, neverShare } = scenario.draining;
    const takesMs = between(random, ms[0], ms[1]);
    if (happens(random, neverShare)) return;
    scheduleFor(this.#world, this.#node, takesMs, settle, this.term.token, this.partition);
  }

  drainsSlowly(): undefined {
    return undefined;
  }

  ended(_token: bigint, loss: LossReason | 'released'): void {
    const wasLeading = this.#node.clock.now() < this.until;
    const deadline = this.#node.clock.realAt(this.until);
    this.term.endedAt = Math.min(this.#world.now, deadline);
    this.term.ended = loss === 'released' ? 'released' : 'fenced';
    this.#port.ended(this.#world, this.#node, this, { loss, wasLeading });
  }

  settle(token: bigint): void {
    if (this.term.token !== token || this.term.settled) return;
    this.term.settled = true;
    this.belief.refresh();
    this.belief.drained(token);
  }

  #feed(input: HostInput): void {
    this.#port.feed(this.#world, this.#node, input);
  }
}

function settle(_world: World, token: bigint, node: Process, partition: number): void {
  defined(node.hosted[partition]).settle(token);
}
