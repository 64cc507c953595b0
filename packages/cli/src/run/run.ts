// The command `leadership run`: runs a program on the leader only.
import process from 'node:process';
import {
  LeadershipError,
  type LeadershipSource,
  type LeadOptions,
  type SourceOptions,
  type Term,
  type Work,
} from '@leadership/core';
import { observedLeaseMs } from '@leadership/core/internal';
import { incarnationToReport } from '@leadership/core/internal/guard';
import { roleVariable, slotVariable, tokenVariable } from '../environment/variables.ts';
import { exitCodeOf, notAcquired, passedOn, startFailed, wrapperFailed } from '../exit-codes.ts';
import { numericOption, openSource } from '../open-source.ts';
import { say, stderrLog } from '../say.ts';
import { endSignals, passedSignals, resignSignal } from '../signals.ts';
import { CommandRun, StartError } from './command-run.ts';
import { announceLeading } from './leading-file.ts';
import type { CommandSpec, Ended, WrapperSpec } from './messages.ts';
import { SpareWatchdog } from './spare-watchdog.ts';

/** The options of `run`. */
export interface RunOptions {
  /** `name=value` pairs for the query of the URL. */
  readonly option: readonly string[];
  /** The role to lead, unless `slots` is given. */
  readonly role?: string;
  /** The number of processes that run the command at once. */
  readonly slots?: number;
  /** Start the command again, in a later term, after it has ended by itself. */
  readonly restart: boolean;
  /** Exit after the first run, also if the leadership was lost. */
  readonly once: boolean;
  /** Seconds to wait for the leadership before giving up. */
  readonly wait?: number;
  /** Seconds between SIGTERM and SIGKILL. */
  readonly stopTimeout: number;
}

/**
 * The part of the drain time in which the command must have ended. Afterwards the member would be
 * fenced although the command still ran.
 */
const drainShare = 0.8;

/** Runs a command only while this process leads the role. Returns the exit code. */
export async function run(
  url: string,
  commandLine: readonly string[],
  options: RunOptions,
): Promise<number> {
  if (process.platform === 'win32')
    throw new LeadershipError(
      'unsupported-runtime',
      'run needs process groups: use Linux or macOS',
    );
  const graceMs = options.stopTimeout * 1000;
  const work = workOf(options, numericOption(url, options.option, 'partitions'));
  const drainTimeoutMs = drainTimeoutFor(
    graceMs,
    numericOption(url, options.option, 'drainTimeoutMs'),
  );
  await using source = await openSource(url, options.option, {
    log: stderrLog,
    // The death of this process does not prove that the command has ended: only the watchdog knows that.
    // The command inherits the address of the guard, and a source of its own is guarded.
    guard: false,
    ...work.options,
    ...(drainTimeoutMs !== undefined && { drainTimeoutMs }),
  });
  const [command = '', ...args] = commandLine;
  const spec = { command, args, graceMs, env: {} };
  const wrapper = wrapperSpec(source, url, options, work);
  return await new Wrapper(source, spec, options, work, wrapper).code();
}

/** Describes this process to the watchdog, which releases its leases after its death. */
function wrapperSpec(
  source: LeadershipSource,
  url: string,
  { option: pairs }: RunOptions,
  { options: { partitions } }: LedWork,
): WrapperSpec {
  const { pid } = process;
  const incarnation = incarnationToReport(source);
  if (incarnation === undefined) return { pid };
  const group = { url, pairs, ...(partitions !== undefined && { partitions }) };
  return { pid, member: { ...group, member: source.member, incarnation } };
}

/** The thing that a process leads: a role, or one of a number of slots. */
interface LedWork {
  /** Its name in messages. */
  readonly name: string;
  readonly options: Pick<SourceOptions, 'partitions' | 'campaign'>;
  /** Leads it, again and again, until the signal aborts. */
  lead(source: LeadershipSource, work: Work, options: LeadOptions): Promise<void>;
  /** Returns the partitions whose leaders this process may succeed. */
  partitions(source: LeadershipSource): readonly number[];
  /** Returns what a term of it is called in messages, and the variables of its command. */
  describe(term: Term): readonly [name: string, env: Readonly<Record<string, string>>];
}

/**
 * Returns what this process leads. Each slot is a partition, and no member leads more than one (M13).
 *
 * @throws LeadershipError `invalid-options`
 */
function workOf({ role, slots }: RunOptions, partitions: number | undefined): LedWork {
  if (slots === undefined) return roleOf(role ?? '');
  if (partitions !== undefined && partitions !== slots)
    throw new LeadershipError(
      'invalid-options',
      `--slots ${slots} needs as many partitions, but the URL or the options say partitions=${partitions}: leave it out, or set it to ${slots}`,
    );
  return {
    name: `one of ${slots} slots`,
    options: { partitions: slots, campaign: { partitionsMax: 1 } },
    lead: (source, work, options) => source.leadEach(work, options),
    partitions: () => Array.from({ length: slots }, (_, index) => index),
    describe: ({ partition }) => [`slot ${partition}`, { [slotVariable]: String(partition) }],
  };
}

function roleOf(role: string): LedWork {
  const name = `role ${role}`;
  return {
    name,
    options: {},
    lead: (source, work, options) => source.role(role).lead(work, options),
    partitions: (source) => [source.role(role).partition],
    describe: () => [name, { [roleVariable]: role }],
  };
}

/**
 * Returns the drain time that the grace of the command needs, or `undefined` if the URL sets it.
 *
 * @throws LeadershipError `invalid-options` if the drain time of the URL is too short
 */
function drainTimeoutFor(graceMs: number, given: number | undefined): number | undefined {
  const neededMs = Math.ceil(graceMs / drainShare);
  if (given === undefined) return neededMs;
  if (given >= neededMs) return undefined;
  throw new LeadershipError(
    'invalid-options',
    `drainTimeoutMs ${given} is too short for --stop-timeout ${graceMs / 1000}: it must be at least ${neededMs}`,
  );
}

class Wrapper {
  readonly #source: LeadershipSource;
  readonly #spec: CommandSpec;
  readonly #options: RunOptions;
  readonly #work: LedWork;
  readonly #wrapper: WrapperSpec;
  /** Aborts when no further run may start. */
  readonly #over = new AbortController();
  readonly #spare: SpareWatchdog;
  #run: CommandRun | undefined;
  /** Resolves once the command of the last term has ended. */
  #before: Promise<void> = Promise.resolve();
  /** The partition whose term runs the command. */
  #partition = 0;
  #code: number | undefined;
  #hasLed = false;

  constructor(
    source: LeadershipSource,
    spec: CommandSpec,
    options: RunOptions,
    work: LedWork,
    wrapper: WrapperSpec,
  ) {
    this.#work = work;
    this.#wrapper = wrapper;
    this.#source = source;
    this.#spec = spec;
    this.#options = options;
    this.#spare = new SpareWatchdog(() => this.#restMs());
  }

  async code(): Promise<number> {
    const { wait, restart } = this.#options;
    const { member } = this.#source;
    // A source that is refused rejects the work below too.
    this.#source.ready().then(
      () => say(`member ${member} campaigns for ${this.#work.name}`),
      () => undefined,
    );
    for (const signal of [...endSignals, ...passedSignals])
      process.on(signal, () => this.#receive(signal));
    process.on(resignSignal, () => this.#resign());
    const giveUp = wait === undefined ? undefined : setTimeout(() => this.#giveUp(), wait * 1000);
    try {
      await this.#work.lead(this.#source, (term) => this.#lead(term), {
        signal: this.#over.signal,
        onThrow: restart ? 'retry' : 'reject',
      });
    } finally {
      clearTimeout(giveUp);
      this.#spare[Symbol.dispose]();
    }
    return this.#code ?? wrapperFailed;
  }

  /** Returns the shortest rest of the leases that this process may succeed, while it runs nothing. */
  #restMs(): number | undefined {
    if (this.#run !== undefined || this.#over.signal.aborted) return undefined;
    const rests = this.#work
      .partitions(this.#source)
      .flatMap((partition) => observedLeaseMs(this.#source, partition) ?? []);
    return rests.length === 0 ? undefined : Math.min(...rests);
  }

  #receive(signal: NodeJS.Signals): void {
    const isEnd = endSignals.includes(signal);
    if (this.#run === undefined) {
      // Without a handler of the command, every one of these signals ends a process.
      this.#end(exitCodeOf(signal));
    } else if (isEnd) {
      this.#run.stop(signal);
      this.#over.abort();
    } else {
      this.#run.signal(signal);
    }
  }

  #resign(): void {
    // The term that was meant may be over.
    if (this.#run === undefined) return;
    say('resigns on request');
    const resigned = this.#source.role(this.#partition).resign();
    resigned.catch((error: unknown) => say(`cannot resign: ${String(error)}`));
  }

  #giveUp(): void {
    if (this.#hasLed) return;
    say(`did not lead ${this.#work.name} within ${this.#options.wait} s`);
    this.#end(notAcquired);
  }

  #end(code: number): void {
    this.#code = code;
    this.#over.abort();
  }

  /**
   * The work of a term. With slots, the next term may be that of another one: its command starts only
   * once that of the term before has ended.
   */
  #lead(term: Term): Promise<void> {
    const ended = this.#before.then(() => this.#runIn(term));
    this.#before = ended.catch(() => undefined);
    return ended;
  }

  /** Runs the command. The successor waits until this has returned. */
  async #runIn(term: Term): Promise<void> {
    if (term.signal.aborted) return;
    this.#hasLed = true;
    const [name, variables] = this.#work.describe(term);
    say(`leads ${name} in term ${term.token}; starts ${this.#spec.command}`);
    const env = { [tokenVariable]: String(term.token), ...variables };
    const run = new CommandRun({ ...this.#spec, env }, term, this.#spare.take(), this.#wrapper);
    this.#run = run;
    this.#partition = term.partition;
    using _announced = this.#announce(term);
    onAbort(term.signal, () => run.stop('SIGTERM'));
    onAbort(term.fenced, () => run.kill());
    try {
      await this.#ended(term, await run.ended);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      say(error.message);
      this.#end(startFailed(error.code));
    } finally {
      this.#run = undefined;
    }
  }

  #announce({ partition, token }: Term): Disposable {
    try {
      return announceLeading({ group: this.#source.group, partition, token: String(token) });
    } catch (error) {
      say(`cannot be found by leadership resign: ${String(error)}`);
      return { [Symbol.dispose]: () => undefined };
    }
  }

  async #ended(term: Term, ended: Ended): Promise<void> {
    const { command } = this.#spec;
    const how = howItEnded(ended);
    say(`${command} ${how}${ended.cause === 'expired' ? ': the lease was about to end' : ''}`);
    if (this.#isLast(ended)) return this.#end(passedOn(ended.code, ended.signal));
    // The engine resigns after work that throws, and waits longer each time before it campaigns.
    if (ended.cause === 'itself' && ended.code !== 0) throw new Error(`${command} ${how}`);
    if (!term.signal.aborted) await this.#source.role(term.partition).resign();
  }

  #isLast({ cause }: Ended): boolean {
    const { restart, once } = this.#options;
    return once || this.#over.signal.aborted || (cause === 'itself' && !restart);
  }
}

function howItEnded({ code, signal }: Ended): string {
  return signal === null ? `exited with ${code}` : `was ended by ${signal}`;
}

function onAbort(signal: AbortSignal, react: () => void): void {
  if (signal.aborted) react();
  else signal.addEventListener('abort', react, { once: true });
}
