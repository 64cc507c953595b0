// The small world of the state search: two members, one store, and all messages in transit. Time is
// counted in ticks, of which T has three. Randomness is not simulated: each step of the search picks
// one possible event.
import type { Instant } from '@leadership/core/adapter';
import {
  Balance,
  Due,
  type Exchanged,
  type Input,
  type LeaseConfig,
  type LeaseRules,
  leaseRules,
  type MemberState,
  newMember,
  type Output,
  placeHolder,
  type RowStore,
  step,
} from '@leadership/core/internal/sessions';
import type { Checked } from '../../relation/guards.ts';
import { Knowledge } from '../../relation/knowledge.ts';
import { relate } from '../../relation/relation.ts';

/** Index of a member. */
export type Index = 0 | 1;

type Request = Output & { readonly kind: 'exchange' };

/** A request in transit to the store, or its answer on the way back. */
export interface Message {
  readonly from: Index;
  readonly incarnation: string;
  readonly request: Request;
  readonly answer: Exchanged | undefined;
}

/** One member and its host, at its own time. */
export interface Member {
  readonly state: MemberState;
  /** What the check of its steps knows. */
  readonly known: Knowledge;
  readonly now: number;
  /** When the member wants to be woken next. */
  readonly wakeAt: number;
  /** The tokens of the terms that have not ended, and the deadline of all of them. */
  readonly terms: ReadonlyMap<number, bigint>;
  readonly until: number;
  /** The terms whose work drains. */
  readonly draining: ReadonlySet<number>;
}

/** How often the events that the search counts may still happen. */
export interface Budget {
  readonly ticks: number;
  /** Requests that arrive at the store. */
  readonly arrivals: number;
  readonly restarts: number;
  readonly resignations: number;
  /** Rows that a stranger removes. */
  readonly removals: number;
  /** Losses of the history: the store is restored to its rows before the first term. */
  readonly losses: number;
}

/** The complete state at one moment. Each event creates a new one. */
export interface SystemState {
  readonly members: readonly [Member, Member];
  readonly store: RowStore;
  readonly messages: readonly Message[];
  readonly left: Budget;
  /** The rows before the first term. */
  readonly past: readonly (readonly [name: string, text: string])[];
  /** Per partition, the greatest token of a term. */
  readonly greatest: readonly bigint[];
  /** The checks of steps against the text of the rules. */
  readonly checked: Checked;
  /** The contradiction of a rule. */
  readonly wrong: string | undefined;
}

/** The parameters of one search. */
export interface SearchParameters {
  readonly rules: LeaseRules;
  /** Milliseconds by which each clock advances in a tick. An exact clock advances by 100. */
  readonly rates: readonly [number, number];
  readonly partitions: number;
  /**
   * Whether no row exists; each member leads its share; or the first leads everything, and the other
   * has just started.
   */
  readonly begins: 'empty' | 'shared' | 'joined';
  readonly budget: Budget;
  /** The greatest number of partitions that a member leads at once (M13). Default: all. */
  readonly partitionsMax?: number;
}

/** T, three ticks of an exact clock; clocks run at 75 to 125 per cent of its rate. */
const thresholdMs = 300;
const driftRate = 0.25;

/** The requests of one member that may be under way. A further one replaces the oldest, which is lost. */
const requestsMax = 2;

/** Returns a member that has just started, without any knowledge. */
export function newcomer(
  { rules, partitions, partitionsMax }: SearchParameters,
  index: Index,
  life: number,
  now: number,
): Member {
  const member = index === 0 ? 'a' : 'b';
  const config: LeaseConfig = {
    group: 'g',
    member,
    incarnation: `${member}${life === 0 ? '' : life}`,
    metadata: {},
    partitions,
    thresholdMs,
    thresholdMsMax: thresholdMs,
    driftRate,
    campaign: true,
    ...(partitionsMax !== undefined && { partitionsMax }),
    jitter: 0,
    traits: { changesMax: 16 },
  };
  const state = newMember(config, rules);
  return {
    state,
    known: new Knowledge(config),
    now,
    wakeAt: now,
    terms: new Map(),
    until: 0,
    draining: new Set(),
  };
}

/** Returns whether the member reports leadership of a partition now. */
function leads({ terms, now, until }: Member, partition: number): boolean {
  return terms.has(partition) && now < until;
}

/** Returns the state with one member replaced, and what is wrong now. */
export function withMember(system: SystemState, index: Index, member: Member): SystemState {
  const [a, b] = system.members;
  return { ...system, members: index === 0 ? [member, b] : [a, member] };
}

/** Returns the state, which is wrong if two members lead a partition, or one more than its limit. */
export function judged(system: SystemState): SystemState {
  const [a, b] = system.members;
  for (const { terms, state } of system.members)
    if (terms.size > (state.config.partitionsMax ?? Number.POSITIVE_INFINITY))
      return { ...system, wrong: system.wrong ?? `a member leads ${terms.size} partitions` };
  for (const partition of a.terms.keys())
    if (leads(a, partition) && leads(b, partition))
      return { ...system, wrong: system.wrong ?? `two leaders of partition ${partition}` };
  return system;
}

/** Feeds an input to a member, and a wake, as the shell does at the end of a turn. */
export function stepped(system: SystemState, index: Index, input: Input): SystemState {
  const member = system.members[index];
  const state = copyOf(member.state);
  const known = member.known.copy();
  let after = withMember(system, index, { ...member, state, known });
  let next: Input | undefined = input;
  while (next !== undefined) {
    const moment = { now: member.now as Instant, wallMicros: wallMicrosOf(after) };
    const made = step(state, next, moment);
    const { outputs, wakeAt } = made;
    const refuted = relate(known, { input: next, ...moment, ...made }, system.checked);
    // A mutant shows what follows from its wrong steps.
    if (state.rules === leaseRules) after = wrongBy(after, refuted);
    for (const output of outputs) after = performed(after, index, output);
    after = withMember(after, index, { ...after.members[index], wakeAt });
    next = wakeAt <= member.now ? { kind: 'wake' } : undefined;
  }
  return judged(after);
}

function wrongBy(system: SystemState, refuted: readonly string[]): SystemState {
  const [guard] = refuted;
  return guard === undefined ? system : { ...system, wrong: system.wrong ?? guard };
}

/** The wall clocks agree. They grow with the ticks, so that tokens do after a loss. */
function wallMicrosOf({ left }: SystemState): number {
  return 1_000_000 - 1000 * left.ticks;
}

function performed(system: SystemState, index: Index, output: Output): SystemState {
  const member = system.members[index];
  switch (output.kind) {
    case 'exchange':
      return sent(system, index, output);
    case 'granted':
      return granted(system, index, output);
    case 'prolonged': {
      const isRevived = member.now >= member.until && member.terms.size > 0;
      const after = withMember(system, index, { ...member, until: output.until });
      return isRevived ? { ...after, wrong: 'a term is revived' } : after;
    }
    case 'drain':
      return withMember(system, index, {
        ...member,
        draining: new Set([...member.draining, output.partition]),
      });
    case 'released':
    case 'lost':
      return withMember(system, index, without(member, output.partition));
    default:
      return system;
  }
}

/** Returns the member without a term. */
function without(member: Member, partition: number): Member {
  const terms = new Map(member.terms);
  terms.delete(partition);
  const draining = new Set(member.draining);
  draining.delete(partition);
  return { ...member, terms, draining };
}

function granted(
  system: SystemState,
  index: Index,
  { partition, token }: Output & { readonly kind: 'granted' },
): SystemState {
  const member = system.members[index];
  const terms = new Map(member.terms).set(partition, token);
  const after = withMember(system, index, { ...member, terms });
  const least = system.greatest[partition] ?? 0n;
  if (token <= least) return { ...after, wrong: `term ${token} after term ${least}` };
  return { ...after, greatest: system.greatest.with(partition, token) };
}

function sent(system: SystemState, from: Index, request: Request): SystemState {
  const { incarnation } = system.members[from].state.config;
  const messages = [...system.messages, { from, incarnation, request, answer: undefined }];
  const own = messages.filter((one) => one.from === from && one.answer === undefined);
  const lost = own.length > requestsMax ? own[0] : undefined;
  return { ...system, messages: messages.filter((one) => one !== lost) };
}

/**
 * Returns a member that shares nothing with `state` but what never changes. Its state is plain data beside
 * two indexes of it, which are built again.
 */
function copyOf(state: MemberState): MemberState {
  const { config, rules, position, due: _due, balance: _balance, ...plain } = state;
  const copy: MemberState = {
    ...cloned({ ...plain, outputs: [] }, new Map()),
    config,
    rules,
    position,
    due: new Due(),
    balance: new Balance(config.partitions),
  };
  for (const partition of copy.partitions) placeHolder(copy, partition);
  copy.balance.members(copy.members, undefined, copy.limits);
  copy.balance.settle();
  for (const one of [...copy.partitions, ...copy.sessions.values()]) {
    const { dueAt } = one;
    one.dueAt = Number.POSITIVE_INFINITY as typeof dueAt;
    copy.due.set(one, dueAt);
  }
  return copy;
}

/** Clones plain data, which may refer to a part twice. `structuredClone` takes longer. */
function cloned<Value>(value: Value, seen: Map<unknown, unknown>): Value {
  if (typeof value !== 'object' || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known as Value;
  if (value instanceof Map) return clonedMap(value, seen) as Value;
  if (value instanceof Set) return clonedSet(value, seen) as Value;
  const made = (Array.isArray(value) ? [] : {}) as Value;
  seen.set(value, made);
  for (const name of Object.keys(value) as (keyof Value)[]) made[name] = cloned(value[name], seen);
  return made;
}

function clonedMap(map: ReadonlyMap<unknown, unknown>, seen: Map<unknown, unknown>): unknown {
  const made = new Map<unknown, unknown>();
  seen.set(map, made);
  for (const [key, value] of map) made.set(key, cloned(value, seen));
  return made;
}

function clonedSet(set: ReadonlySet<unknown>, seen: Map<unknown, unknown>): unknown {
  const made = new Set<unknown>();
  seen.set(set, made);
  for (const value of set) made.add(cloned(value, seen));
  return made;
}
