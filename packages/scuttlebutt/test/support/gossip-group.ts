// Some members that exchange digests in an order that the test chooses. Declarations are texts.
import type {
  GossipConfig,
  GossipContext,
  GossipState,
} from '../../src/protocol/gossip/context.ts';
import {
  answerDigest,
  answerReply,
  type Body,
  digestsOf,
} from '../../src/protocol/gossip/digests.ts';
import { forget } from '../../src/protocol/gossip/forgetting.ts';
import { mergeDelta } from '../../src/protocol/gossip/merging.ts';
import { type Node, newNode, type Row } from '../../src/protocol/gossip/node.ts';
import { beat, buryTombstones, write } from '../../src/protocol/gossip/owning.ts';
import { type GossipRules, gossipRules } from '../../src/protocol/gossip/rules.ts';
import {
  entryBytes,
  headerBytes,
  numberBytes,
  rowBytes,
  textBytes,
} from '../../src/protocol/gossip/size.ts';

type Context = GossipContext<string>;

/** One write of an owner. */
export interface Write {
  readonly key: string;
  readonly value: string | undefined;
  readonly version: number;
}

export const config: GossipConfig = {
  member: 'a',
  voters: [],
  seeds: [],
  driftRate: 500e-6,
  intervalMs: 100,
  fanout: 2,
  budget: 400,
  digestsMax: 100,
  forgetAfterMs: 10_000,
  tombstoneMs: 1000,
  nodesMax: 50,
  keysMax: 64,
};

export class GossipMember {
  readonly config: GossipConfig;
  readonly history: Write[] = [];
  state: GossipState<string>;
  readonly #rules: GossipRules;

  constructor(name: string, options: Partial<GossipConfig> = {}, rules: Partial<GossipRules> = {}) {
    this.config = { ...config, ...options, member: name };
    this.#rules = { ...gossipRules, ...rules };
    this.state = GossipMember.#newState(name, 1, this.config.intervalMs);
  }

  static #newState(name: string, generation: number, intervalMs: number): GossipState<string> {
    const row: Row = { name, generation, beat: 1, clock: 0, sequence: 0, version: 0, floor: 0 };
    const self = newNode<string>(row, 0, intervalMs);
    return { nodes: new Map([[name, self]]), forgotten: new Map(), cursor: 0, seed: 7 };
  }

  /** Runs `what` with a context at `now`, and keeps the state. */
  with<T>(now: number, what: (context: Context) => T): T {
    const context = this.context(now);
    const result = what(context);
    const { nodes, forgotten, cursor, seed } = context;
    this.state = { nodes, forgotten, cursor, seed };
    return result;
  }

  context(now: number): Context {
    return {
      rules: this.#rules,
      config: this.config,
      before: this.state,
      ...this.state,
      now,
      wallMicros: 1.8e15,
      sizeOf: (declaration) => declaration.length,
      accepts: () => true,
      changed: new Set(),
      changes: 0,
      implausible: 0,
      rivalGeneration: 0,
      ownClockBound: Number.NEGATIVE_INFINITY,
    };
  }

  restart(generation: number): void {
    this.state = GossipMember.#newState(this.config.member, generation, this.config.intervalMs);
    this.history.length = 0;
  }

  write(now: number, key: string, value: string | undefined): void {
    const { version } = this.node(this.config.member);
    this.with(now, (context) => write(context, key, value));
    const after = this.node(this.config.member).version;
    if (after > version) this.history.push({ key, value, version: after });
  }

  keepUp(now: number): void {
    this.with(now, (context) => {
      beat(context);
      forget(context);
      buryTombstones(context);
    });
  }

  node(name: string): Node<string> {
    const node = this.state.nodes.get(name);
    if (node === undefined) throw new Error(`${this.config.member} does not know ${name}`);
    return node;
  }

  /** The values that this member knows of another, without tombstones. */
  valuesOf(name: string): Readonly<Record<string, string>> {
    const entries = [...(this.state.nodes.get(name)?.entries ?? [])];
    return Object.fromEntries(entries.flatMap(([key, { value }]) => (value ? [[key, value]] : [])));
  }
}

/**
 * One exchange: digests, replies, deltas. `arrives` decides which messages do. Returns all of them.
 */
export function exchange(
  from: GossipMember,
  to: GossipMember,
  now: number,
  arrives: () => boolean = () => true,
): readonly Body<string>[] {
  const sent: Body<string>[] = [];
  for (const digest of from.with(now, digestsOf)) {
    sent.push(digest);
    if (!arrives()) continue;
    const reply = to.with(now, (context) => answerDigest(context, digest, []));
    sent.push(reply);
    if (!arrives()) continue;
    const deltas = from.with(now, (context) => answerReply(context, reply));
    if (deltas === undefined) continue;
    sent.push(deltas);
    if (!arrives()) continue;
    to.with(now, (context) => {
      for (const delta of deltas.deltas) mergeDelta(context, delta);
    });
  }
  return sent;
}

/** The size of a message with this body, by the format that `size.ts` describes. */
export function bytesOf(body: Body<string>, own: Row): number {
  return headerBytes + rowBytes(own) + bodyBytes(body);
}

function bodyBytes(body: Body<string>): number {
  const rows = body.kind === 'digest' ? body.rows : body.kind === 'reply' ? body.lacks : [];
  const deltas = body.kind === 'digest' ? [] : body.deltas;
  const range = body.kind === 'digest' ? body.range : undefined;
  const limits = range ? textBytes(range.from) + textBytes(range.to ?? '') : 0;
  return (
    limits +
    rows.reduce((sum, row) => sum + rowBytes(row), 0) +
    deltas.reduce(
      (sum, { row, declaration, since, entries }) =>
        sum +
        rowBytes(row) +
        numberBytes(since) +
        2 +
        (declaration?.length ?? 0) +
        entries.reduce((all, { key, value, version }) => all + entryBytes(key, value, version), 0),
      0,
    )
  );
}
