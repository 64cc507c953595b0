// The members and the state that the application sees. Metadata, and what a member publishes beside
// them, travel as entries beside those of the application: their keys have other first characters.
import { LeadershipError, type LeadershipSource, type Metadata } from '@leadership/core';
import { jsonFields, type KnownMember, type Publication } from '@leadership/core/adapter';
import {
  type JsonFields,
  type Moment,
  metadataOf,
  phi,
  publicationFields,
  publicationIn,
  type Stream,
  stream,
} from '@leadership/core/internal/engine';
import { keysMax } from '../options.ts';
import type { Declaration } from '../protocol/election/declaration.ts';
import { type Entry, isAlive, type Node } from '../protocol/gossip/node.ts';
import { nameBytesMax, valueBytesMax } from '../protocol/gossip/plausible.ts';
import type { MemberState } from '../protocol/state.ts';
import type { GossipMember, ScuttlebuttSource } from '../scuttlebutt-source.ts';

type Entries = ReadonlyMap<string, Entry>;
type Values = ReadonlyMap<string, string>;

const microsPerMs = 1000;

/** The first characters of keys. */
const ofApplication = '/';
const ofMetadata = '@';
const ofPublication = '+';

/** The part of a running member that the shared state uses. */
export interface SharedStateDriver {
  readonly state: MemberState;
  moment(): Moment;
  /** Returns how the source knows that life of a member. */
  incarnationOf(member: string, generation: number): string;
  /** Writes an entry. Returns whether there is room for it. */
  set(key: string, value: string | undefined): boolean;
}

/** The members, the state of all members, and the own entries. */
export class SharedState {
  readonly #member: string;
  readonly #liveness: Stream<ReadonlyMap<string, GossipMember>>;
  readonly #state: Stream<ReadonlyMap<string, Values>>;
  /** The metadata as they were read from these entries. */
  readonly #metadata = new WeakMap<Entries, Metadata>();
  readonly #values = new WeakMap<Entries, Values>();
  /** The entries to write once the member runs. */
  readonly #waiting = new Map<string, string>();
  #driver: SharedStateDriver | undefined;
  /** The keys of what this member publishes beside its metadata. */
  #published: readonly string[] = [];
  #isClosed = false;

  constructor(member: string, metadata: Metadata) {
    this.#member = member;
    this.#liveness = stream<ReadonlyMap<string, GossipMember>>(new Map(), () => this.refresh());
    this.#state = stream<ReadonlyMap<string, Values>>(new Map(), () => this.refresh());
    for (const [key, value] of partsOf(metadata, ofMetadata)) this.#waiting.set(key, value);
  }

  /** The member runs: writes what has been set before. */
  started(driver: SharedStateDriver): void {
    this.#driver = driver;
    for (const [key, value] of this.#waiting) driver.set(key, value);
    this.#waiting.clear();
  }

  /** The source has closed. */
  ended(): void {
    this.refresh();
    this.#isClosed = true;
    this.#liveness.complete();
    this.#state.complete();
  }

  /** Returns the metadata of a member; empty while they have not arrived. */
  metadataOf(member: string): Metadata {
    const node = this.#driver?.state.gossip.nodes.get(member);
    return node ? this.#metadataIn(node.entries) : noMetadata;
  }

  /** Publishes what has changed of this member, with the entries that are gossiped anyway. */
  publish(publication: Publication): void {
    const parts = new Map(partsOf(publicationFields(publication), ofPublication));
    for (const key of this.#published) if (!parts.has(key)) this.#write(key, undefined);
    for (const [key, value] of parts) this.#write(key, value);
    this.#published = [...parts.keys()];
  }

  /** Returns the members that seem to live. */
  present(): readonly KnownMember[] {
    const driver = this.#driver;
    if (driver === undefined) return [];
    const { startedAt, gossip } = driver.state;
    const now = driver.moment().now - startedAt;
    return [...gossip.nodes.values()]
      .filter((node) => node.name === this.#member || isAlive(node, now))
      .map(({ name, generation, declaration, entries }) => ({
        member: name,
        incarnation: driver.incarnationOf(name, generation),
        since: Math.floor(generation / microsPerMs),
        isCandidate: declaration?.candidacy?.stands.some(Boolean) === true,
        metadata: this.#metadataIn(entries),
        ...publicationIn(fieldsIn(entries, ofPublication)),
      }));
  }

  /** Makes the streams current. */
  refresh(): void {
    const driver = this.#driver;
    if (driver === undefined || this.#isClosed) return;
    const { startedAt, gossip } = driver.state;
    const now = driver.moment().now - startedAt;
    const nodes = [...gossip.nodes.values()];
    this.#liveness.set(new Map(nodes.map((node) => [node.name, this.#memberOf(node, now)])));
    const state = new Map(nodes.map(({ name, entries }) => [name, this.#valuesIn(entries)]));
    for (const [name, values] of state) if (values.size === 0) state.delete(name);
    if (!isSame(state, this.#state.value)) this.#state.set(state);
  }

  /** Returns the source with the additional members. */
  addTo(source: LeadershipSource): ScuttlebuttSource {
    return Object.assign(source, {
      liveness$: this.#liveness.value$,
      state$: this.#state.value$,
      set: (key: string, value: string | undefined) => this.#set(key, value),
    });
  }

  #set(key: string, value: string | undefined): void {
    if (this.#isClosed)
      throw new LeadershipError('closed', `the source of member "${this.#member}" is closed`);
    checkText('key', key, nameBytesMax - ofApplication.length, 1);
    if (value !== undefined) checkText(`value of "${key}"`, value, valueBytesMax, 0);
    const name = ofApplication + key;
    if (!this.#write(name, value))
      throw new LeadershipError(
        'invalid-options',
        `key "${key}" was not written: this member has too many keys. Delete some; a deleted key takes room for a while`,
      );
    this.refresh();
  }

  /** Returns whether there is room for the entry. */
  #write(name: string, value: string | undefined): boolean {
    if (this.#driver) return this.#driver.set(name, value);
    if (value === undefined) {
      this.#waiting.delete(name);
      return true;
    }
    if (this.#waiting.size >= keysMax && !this.#waiting.has(name)) return false;
    this.#waiting.set(name, value);
    return true;
  }

  #memberOf(node: Node<Declaration>, now: number): GossipMember {
    const { name: member, generation, pulse, expectedMs, entries } = node;
    const self = member === this.#member;
    const alive = self || isAlive(node, now);
    return {
      member,
      self,
      generation,
      alive,
      suspect: !alive && pulse !== undefined,
      phi: self ? 0 : pulse ? phi(pulse, now, expectedMs) : Number.POSITIVE_INFINITY,
      metadata: this.#metadataIn(entries),
    };
  }

  #metadataIn(entries: Entries): Metadata {
    const known =
      this.#metadata.get(entries) ?? metadataOf(fieldsIn(entries, ofMetadata)) ?? noMetadata;
    this.#metadata.set(entries, known);
    return known;
  }

  #valuesIn(entries: Entries): Values {
    const known = this.#values.get(entries) ?? valuesIn(entries);
    this.#values.set(entries, known);
    return known;
  }
}

function valuesIn(entries: Entries): Values {
  const values = new Map<string, string>();
  for (const [key, { value }] of entries)
    if (value !== undefined && key.startsWith(ofApplication)) values.set(key.slice(1), value);
  return values;
}

const noMetadata: Metadata = {};

/** Splits fields into entries that fit. */
function* partsOf(
  fields: Metadata | Publication,
  first: string,
): Generator<readonly [string, string], void, undefined> {
  // In ASCII a character has one byte.
  const text = JSON.stringify(fields).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (text === '{}') return;
  for (let at = 0; at < text.length; at += valueBytesMax)
    yield [`${first}${at / valueBytesMax}`, text.slice(at, at + valueBytesMax)];
}

/** Reads fields. They are untrusted, and may have arrived in part. */
function fieldsIn(entries: Entries, first: string): JsonFields {
  let text = '';
  for (let part = 0; ; part += 1) {
    const piece = entries.get(`${first}${part}`)?.value;
    if (piece === undefined) break;
    text += piece;
  }
  const read = jsonFields(text);
  return read === undefined || Array.isArray(read) ? {} : read;
}

function isSame(a: ReadonlyMap<string, Values>, b: ReadonlyMap<string, Values>): boolean {
  return (
    a.size === b.size &&
    [...a].every(([name, values]) => {
      const others = b.get(name);
      return (
        others?.size === values.size &&
        [...values].every(([key, value]) => others.get(key) === value)
      );
    })
  );
}

function checkText(what: string, text: unknown, max: number, min: number): asserts text is string {
  const bytes = typeof text === 'string' ? Buffer.byteLength(text) : -1;
  if (bytes < min || bytes > max)
    throw new LeadershipError(
      'invalid-options',
      `${what} must be a text of ${min} to ${max} bytes${bytes < 0 ? '' : `: it has ${bytes}`}`,
    );
}
