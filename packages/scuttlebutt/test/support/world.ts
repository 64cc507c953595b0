// A small deterministic world for the machine: a network that loses, repeats, delays and cuts,
// clocks that drift, and processes that pause, die and start again. The judge sees true time.

import { seededRandom } from '@leadership/testkit/internal';
import {
  generationAt,
  type MemberConfig,
  type MemberState,
  type Message,
  newMember,
  type ScuttlebuttInput,
  type ScuttlebuttOutput,
  type ScuttlebuttRules,
  scuttlebuttRules,
  step,
} from '../../src/protocol.ts';
import { Queue } from './queue.ts';

type Instant = MemberState['startedAt'];

/** The size and the faults of a world. Milliseconds of true time. */
export interface WorldOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly voters: number;
  readonly partitions?: number;
  readonly thresholdMs?: number;
  readonly intervalMs?: number;
  readonly electionMs?: number;
  /** r. Half of the clocks run at one of the limits. */
  readonly driftRate?: number;
  readonly delayMs?: readonly [number, number];
  readonly loss?: number;
  readonly duplicates?: number;
  /** The greatest offset of a wall clock. */
  readonly wallSkewMs?: number;
  readonly drainMs?: readonly [number, number];
  readonly rules?: Partial<ScuttlebuttRules>;
  readonly config?: Partial<MemberConfig>;
}

/** A term, as the judge saw it begin. */
export interface Reign {
  readonly partition: number;
  readonly member: string;
  readonly token: bigint;
  readonly since: number;
}

interface Belief {
  token: bigint;
  /** On the member's monotonic clock. */
  until: number;
  isDraining: boolean;
}

/** A process with its clocks. The clocks survive it. */
export interface Process {
  readonly name: string;
  readonly config: MemberConfig;
  state: MemberState | undefined;
  life: number;
  rate: number;
  base: number;
  setAt: number;
  wallOffsetMs: number;
  pausedUntil: number;
  wakeAt: number;
  readonly beliefs: Map<number, Belief>;
}

type Event =
  | { readonly kind: 'wake'; readonly name: string; readonly life: number; readonly at: number }
  | {
      readonly kind: 'message';
      readonly from: string;
      readonly to: string;
      readonly message: Message;
    }
  | {
      readonly kind: 'input';
      readonly name: string;
      readonly life: number;
      readonly input: ScuttlebuttInput;
    }
  | { readonly kind: 'call'; readonly call: () => void };

const wallStartMs = 1_800_000_000_000;

export class World {
  readonly options: Required<Omit<WorldOptions, 'rules' | 'config'>>;
  readonly rules: ScuttlebuttRules;
  readonly random: () => number;
  readonly processes: ReadonlyMap<string, Process>;
  /** Directed: `from>to`. */
  readonly cuts = new Set<string>();
  readonly violations: string[] = [];
  readonly reigns: Reign[] = [];
  now = 0;
  steps = 0;
  sent = 0;
  /** Members that refused to take part. */
  readonly refused = new Set<string>();
  /** Called for every message that is sent. */
  onSend: ((from: string, to: string, message: Message) => void) | undefined;
  readonly #queue = new Queue<Event>();
  readonly #lastToken: bigint[] = [];

  constructor(options: WorldOptions) {
    this.options = {
      partitions: 1,
      thresholdMs: 10_000,
      intervalMs: 1000,
      electionMs: 500,
      driftRate: 500e-6,
      delayMs: [1, 50],
      loss: 0,
      duplicates: 0,
      wallSkewMs: 0,
      drainMs: [0, 100],
      ...options,
    };
    this.rules = { ...scuttlebuttRules, ...options.rules };
    this.random = seededRandom(options.seed);
    const names = Array.from({ length: options.nodes }, (_, index) => `m${index}`);
    this.processes = new Map(
      names.map((name) => [name, this.#newProcess(name, names, options.config)]),
    );
  }

  get names(): readonly string[] {
    return [...this.processes.keys()];
  }

  get voters(): readonly string[] {
    return this.names.slice(0, this.options.voters);
  }

  process(name: string): Process {
    const process = this.processes.get(name);
    if (process === undefined) throw new Error(`no process ${name}`);
    return process;
  }

  #newProcess(name: string, names: readonly string[], config?: Partial<MemberConfig>): Process {
    const { partitions, thresholdMs, intervalMs, electionMs, driftRate, voters } = this.options;
    return {
      name,
      config: {
        member: name,
        voters: names.slice(0, voters),
        seeds: names.slice(0, Math.min(3, names.length)),
        partitions,
        isCandidate: true,
        thresholdMs,
        driftRate,
        intervalMs,
        electionMs,
        fanout: 3,
        budget: 1200,
        digestsMax: 8,
        forgetAfterMs: 30 * thresholdMs,
        tombstoneMs: 10 * thresholdMs,
        nodesMax: 1024,
        keysMax: 64,
        pin: 'pin',
        ...config,
      },
      state: undefined,
      life: 0,
      rate: 1,
      base: this.between(0, 1e6),
      setAt: 0,
      wallOffsetMs: this.between(-1, 1) * this.options.wallSkewMs,
      pausedUntil: 0,
      wakeAt: Number.POSITIVE_INFINITY,
      beliefs: new Map(),
    };
  }

  between(low: number, high: number): number {
    return low + this.random() * (high - low);
  }

  /** The monotonic clock of a process, now. */
  clockOf({ base, setAt, rate }: Process): number {
    return base + (this.now - setAt) * rate;
  }

  /** Gives a process another rate within ±r. */
  drift(name: string, rate?: number): void {
    const process = this.process(name);
    const lean = Math.max(-1, Math.min(1, this.between(-2, 2)));
    process.base = this.clockOf(process);
    process.setAt = this.now;
    process.rate = rate ?? 1 + this.options.driftRate * lean;
    if (process.state) this.#schedule(process);
  }

  start(name: string, config: Partial<MemberConfig> = {}): void {
    const process = this.process(name);
    process.life += 1;
    this.drift(name);
    const moment = this.#momentOf(process);
    process.state = newMember(
      this.rules,
      { ...process.config, ...config },
      {
        generation: generationAt(moment.wallMicros),
        seed: Math.floor(this.random() * 2 ** 32),
      },
      moment,
    );
    process.pausedUntil = 0;
    this.feed(name, { kind: 'wake' });
  }

  startAll(): void {
    for (const name of this.names) this.start(name);
  }

  kill(name: string): void {
    const process = this.process(name);
    process.state = undefined;
    process.life += 1;
    process.beliefs.clear();
  }

  pause(name: string, ms: number): void {
    this.process(name).pausedUntil = this.now + ms;
  }

  /**
   * Suspends a process: it does nothing, and its clock stops. Its host notices that (H6) or
   * does not.
   */
  suspend(name: string, ms: number, isNoticed = true): void {
    const process = this.process(name);
    const { life, rate } = process;
    this.pause(name, ms);
    this.at(this.now + ms, () => {
      if (process.life !== life) return;
      process.base -= ms * rate;
      if (!isNoticed) return;
      process.beliefs.clear();
      this.feed(name, { kind: 'clock-stopped' });
    });
  }

  /** Cuts, or heals, the way from one member to another. */
  cut(from: string, to: string, isCut = true): void {
    if (isCut) this.cuts.add(`${from}>${to}`);
    else this.cuts.delete(`${from}>${to}`);
  }

  at(at: number, call: () => void): void {
    this.#queue.push(at, { kind: 'call', call });
  }

  #momentOf(process: Process): { now: Instant; wallMicros: number } {
    return {
      now: this.clockOf(process) as Instant,
      wallMicros: Math.floor((wallStartMs + this.now + process.wallOffsetMs) * 1000),
    };
  }

  /** Feeds an input to a member, if it is up. */
  feed(name: string, input: ScuttlebuttInput): void {
    const process = this.process(name);
    if (process.state === undefined) return;
    if (process.pausedUntil > this.now) {
      const { life } = process;
      this.#queue.push(process.pausedUntil, { kind: 'input', name, life, input });
      return;
    }
    this.steps += 1;
    const { state, outputs, wakeAt } = step(
      this.rules,
      process.state,
      input,
      this.#momentOf(process),
    );
    process.state = state;
    process.wakeAt = wakeAt;
    this.#schedule(process);
    for (const output of outputs) this.#perform(process, output);
  }

  #schedule(process: Process): void {
    const { name, life, wakeAt } = process;
    if (wakeAt === Number.POSITIVE_INFINITY) return;
    const inMs = Math.max(0, (wakeAt - this.clockOf(process)) / process.rate);
    // A timer is late by up to a millisecond, and never early.
    this.#queue.push(this.now + inMs + this.random(), { kind: 'wake', name, life, at: wakeAt });
  }

  #perform(process: Process, output: ScuttlebuttOutput): void {
    switch (output.kind) {
      case 'send':
        return this.#send(process.name, output.to, output.message);
      case 'granted':
        return this.#granted(process, output);
      case 'drain':
        return this.#drain(process, output.partition);
      case 'released':
      case 'lost':
        process.beliefs.delete(output.partition);
        return;
      case 'differs':
        if (output.isFinal) this.refused.add(process.name);
        return;
      default:
    }
  }

  #send(from: string, to: string, message: Message): void {
    this.sent += 1;
    this.onSend?.(from, to, message);
    if (!this.processes.has(to) || this.cuts.has(`${from}>${to}`)) return;
    if (this.random() < this.options.loss) return;
    const copies = this.random() < this.options.duplicates ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const delay = this.between(...this.options.delayMs) * (copy === 0 ? 1 : this.between(1, 20));
      this.#queue.push(this.now + delay, { kind: 'message', from, to, message });
    }
  }

  #granted(process: Process, grant: ScuttlebuttOutput & { kind: 'granted' }): void {
    const { partition, token, until } = grant;
    const held = process.beliefs.get(partition);
    if (held?.token === token) {
      held.until = until;
    } else {
      process.beliefs.set(partition, { token, until, isDraining: false });
      this.#noteToken(process.name, partition, token);
    }
    for (const other of this.processes.values())
      if (other !== process && this.believes(other, partition))
        this.#violated(`${process.name} and ${other.name} lead partition ${partition}`);
  }

  #noteToken(member: string, partition: number, token: bigint): void {
    const last = this.#lastToken[partition] ?? 0n;
    if (token <= last) this.#violated(`token ${token} of ${member} is not above ${last}`);
    this.#lastToken[partition] = token > last ? token : last;
    this.reigns.push({ partition, member, token, since: this.now });
  }

  #violated(what: string): void {
    this.violations.push(`${this.now.toFixed(1)} ms: ${what}`);
  }

  #drain(process: Process, partition: number): void {
    const { name, life } = process;
    const belief = process.beliefs.get(partition);
    if (belief) belief.isDraining = true;
    const ms = this.between(...this.options.drainMs);
    // One drain in ten does not end: the host fences.
    const input: ScuttlebuttInput =
      this.random() < 0.1
        ? { kind: 'fenced', partition, lapse: true }
        : { kind: 'drained', partition };
    this.#queue.push(this.now + ms, { kind: 'input', name, life, input });
  }

  /** Whether a process believes that it leads, by its own clock. */
  believes(process: Process, partition: number): boolean {
    const belief = process.beliefs.get(partition);
    if (belief === undefined || process.state === undefined) return false;
    return this.clockOf(process) < belief.until;
  }

  /** The leader of a partition at this moment. */
  leader(partition = 0): string | undefined {
    for (const process of this.processes.values())
      if (this.believes(process, partition)) return process.name;
    return undefined;
  }

  /** Runs for `ms` of true time, or until the condition holds. Returns whether it held. */
  run(ms: number, until: () => boolean = () => false): boolean {
    const end = this.now + ms;
    while (this.#queue.firstAt <= end) {
      if (until()) return true;
      this.now = Math.max(this.now, this.#queue.firstAt);
      const event = this.#queue.shift();
      if (event) this.#happen(event);
    }
    if (until()) return true;
    this.now = end;
    return false;
  }

  #happen(event: Event): void {
    switch (event.kind) {
      case 'call':
        return event.call();
      case 'message':
        return this.feed(event.to, { kind: 'received', message: event.message });
      case 'input': {
        const { life } = this.process(event.name);
        return life === event.life ? this.#input(event.name, event.input) : undefined;
      }
      case 'wake': {
        const { life, wakeAt } = this.process(event.name);
        if (life === event.life && wakeAt === event.at) this.feed(event.name, { kind: 'wake' });
      }
    }
  }

  #input(name: string, input: ScuttlebuttInput): void {
    // The work of a fenced term runs until its proof expires: the judge keeps the belief.
    if (input.kind === 'drained') this.process(name).beliefs.delete(input.partition);
    this.feed(name, input);
  }
}
