// Runs a combination of three sources that a test controls, and checks invariants after every
// event.

import { type Deferred, deferred } from '../../src/async/deferred.ts';
import type { Combination } from '../../src/combine/combination.ts';
import { type CombinedInput, CombinedSource } from '../../src/combine/combined-source.ts';
import type { Leadership } from '../../src/contract/leadership.ts';
import type { Role } from '../../src/contract/role.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import type { Term } from '../../src/contract/term.ts';
import { commandOf } from '../../src/source/command.ts';
import { type LingeringSource, lingeringSource } from './combined.ts';
import { turn } from './manual-clock.ts';
import { type SteeredSource, steeredSource } from './steered-backend.ts';

/** The events of the sources, in order. `skew` shifts the token of a grant. */
export type Life = readonly Happening[];

type Happening =
  | {
      readonly kind: 'grant';
      readonly of: number;
      readonly ms: number;
      readonly again: boolean;
      readonly skew: number;
    }
  | { readonly kind: 'lose' | 'revoke' | 'succeed'; readonly of: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'settle' | 'resign' };

/** An invariant is violated. */
class Broken extends Error {
  override readonly name = 'Broken';
}

export function ingredient(source: LeadershipSource): CombinedInput {
  const command = commandOf(source);
  if (command === undefined) throw new Error('the source was not opened by this library');
  return { source, command };
}

function stateOf({ leadership$ }: Role): Leadership {
  let state: Leadership = { state: 'observing' };
  leadership$
    .subscribe((leadership) => {
      state = leadership;
    })
    .unsubscribe();
  return state;
}

function stateNow(role: Role): Leadership['state'] {
  return stateOf(role).state;
}

function insist(holds: boolean, sentence: string): void {
  if (!holds) throw new Broken(sentence);
}

/** The states that may follow each state. */
const next: Readonly<Record<Leadership['state'], readonly Leadership['state'][]>> = {
  observing: [],
  waiting: ['leading'],
  leading: ['revoking', 'fenced'],
  revoking: ['waiting', 'fenced'],
  fenced: ['waiting', 'leading'],
  refused: [],
};

/** A term of the combination, and the work that began in it. */
interface TermRun {
  readonly term: Term;
  readonly work: Deferred<void>;
  isSettled: boolean;
  /** The terms of the sources when it was resigned, if it was. */
  resigned: ReadonlySet<Term> | undefined;
  /** Whether it and these terms were over at the last inspection. */
  isOver: boolean;
  /** Whether `resign` has resolved. */
  isResigned: boolean;
}

/** Runs the events. Throws `Broken` if the rules of the combination violate an invariant. */
export async function live(rules: Combination, life: Life): Promise<void> {
  const scene = new Scene(rules);
  let count = 0;
  for (const happening of life) {
    count += 1;
    scene.happen(happening, BigInt(1000 + 100 * count));
    scene.inspect();
    await turn();
    scene.inspect();
    scene.inspectRest();
  }
  await scene.end();
}

class Scene {
  readonly #name: Combination['name'];
  readonly #parts: readonly (SteeredSource & Partial<LingeringSource>)[];
  readonly #source: LeadershipSource;
  readonly #role: Role;
  readonly #seen: Leadership[] = [];
  readonly #runs: TermRun[] = [];
  /** For each term of a source: the terms of the combination that ran during it. */
  readonly #under = new Map<Term, Set<TermRun>>();
  readonly #broken: unknown[] = [];

  constructor(rules: Combination) {
    this.#name = rules.name;
    this.#parts = [0, 1, 2].map((index) => {
      const options = { group: `g${index}`, drainTimeoutMs: 800 };
      const lingers = rules.name === 'anyOf' && index > 0;
      return lingers ? lingeringSource(options) : steeredSource(options);
    });
    const [first, ...later] = this.#parts.map(({ source }) => ingredient(source));
    if (first === undefined) throw new Error('there are three sources');
    this.#source = new CombinedSource(first, later, rules);
    this.#role = this.#source.role(0);
    this.#role.leadership$.subscribe((leadership) => this.#note(() => this.#hear(leadership)));
    this.#parts.forEach(({ source }, index) => {
      let before: Leadership | undefined;
      source.role(0).leadership$.subscribe((leadership) => {
        const last = before;
        before = leadership;
        if (leadership.state === 'leading')
          this.#under.set(leadership.term, new Set(this.#running()));
        if (last?.state === 'revoking' && leadership.state === 'waiting')
          this.#note(() => this.#releases(index, last.term));
      });
    });
  }

  happen(happening: Happening, token: bigint): void {
    const { clock } = this.#parts[0] ?? {};
    if (happening.kind === 'pass') for (const part of this.#parts) part.clock.block(happening.ms);
    if (happening.kind === 'settle') for (const { work } of this.#runs) work.resolve();
    if (happening.kind === 'resign') this.#resign();
    if (clock === undefined || !('of' in happening)) return;
    const part = this.#parts[happening.of];
    if (happening.kind === 'lose') part?.host.lost(0, 'superseded');
    if (happening.kind === 'revoke') void part?.revoke();
    if (happening.kind === 'succeed') part?.succeed?.();
    if (happening.kind !== 'grant') return;
    const current = part?.source.role(0).term()?.token;
    part?.grant(
      happening.again || current === undefined
        ? token + BigInt(happening.of - happening.skew)
        : current,
      happening.ms,
    );
  }

  /** Checks the invariants that hold at every moment, even between callbacks. */
  inspect(): void {
    for (const error of this.#broken) throw error;
    const isLeading = this.#role.isLeading();
    const roles = this.#parts.map(({ source }) => source.role(0));
    const fold = this.#name === 'anyOf' ? Math.max : Math.min;
    const ms = fold(...roles.map((role) => role.remainingMs()));
    if (isLeading)
      insist(
        this.#holds(roles.map((role) => role.isLeading())),
        'the combination leads, but too few sources do',
      );
    insist(
      this.#role.remainingMs() === (isLeading ? ms : 0),
      `the combination has ${this.#role.remainingMs()} ms left, its sources ${ms}`,
    );
    insist(
      (this.#role.term() !== undefined) === isLeading,
      'the combination leads without a term, or has a term without leading',
    );
    insist(this.#source.held().has(0) === isLeading, 'held() contradicts isLeading()');
    const state = stateNow(this.#role);
    insist(
      (state === 'leading' || state === 'revoking') === isLeading,
      `leadership$ is ${state}, but isLeading() is ${isLeading}`,
    );
  }

  /** Checks the invariants that hold once all pending callbacks have run. */
  inspectRest(): void {
    const states = this.#parts.map(({ source }) => stateNow(source.role(0)));
    const isLeading = this.#role.isLeading();
    if (this.#holds(states.map((state) => state === 'leading')))
      insist(isLeading, 'enough sources lead, but the combination does not');
    this.#inspectResigned();
    const run = this.#runs.at(-1);
    if (this.#name === 'allOf') return this.#inspectFollowing(states);
    const isHandingOver = run?.resigned !== undefined && run.term.signal.aborted;
    const carries =
      states.includes('leading') && isLeading && run?.term.isCurrent() === true && !isHandingOver;
    if (carries)
      insist(!states.includes('revoking'), 'a source is revoking although another one leads');
  }

  async end(): Promise<void> {
    for (const { work } of this.#runs) work.resolve();
    await this.#source.close({ signal: AbortSignal.abort() });
    const last = this.#seen.at(-1)?.state;
    insist(last === 'waiting' || last === 'fenced', `the last state is ${last}`);
    await turn();
    for (const { resigned, isResigned } of this.#runs)
      insist(resigned === undefined || isResigned, 'resign() is pending after close()');
    for (const error of this.#broken) throw error;
  }

  #resign(): void {
    const term = this.#role.term();
    const run = this.#runs.find((one) => one.term === term);
    const terms = this.#parts.flatMap(({ source }) => source.role(0).term() ?? []);
    if (run !== undefined) run.resigned ??= new Set(terms);
    void this.#role.resign().then(() => {
      if (run === undefined) return;
      run.isResigned = true;
      this.#note(() =>
        insist(run.term.fenced.aborted, 'resign() resolved before the resigned term was over'),
      );
    });
  }

  /** Checks that resigned terms end. */
  #inspectResigned(): void {
    const current = this.#parts.flatMap(({ source }) => {
      const leadership = stateOf(source.role(0));
      return 'term' in leadership && leadership.term.isCurrent() ? leadership : [];
    });
    for (const run of this.#runs) {
      const { term, resigned } = run;
      if (resigned === undefined) continue;
      const leading = current.filter(({ state }) => state === 'leading');
      const goesOn = leading.length > 0 && leading.every((one) => resigned.has(one.term));
      insist(
        goesOn || term.signal.aborted,
        'a resigned term goes on in later terms of its sources',
      );
      if (!term.signal.aborted || !run.isSettled) continue;
      insist(term.fenced.aborted, 'a resigned term does not end although its work has settled');
      insist(!run.isOver || run.isResigned, 'resign() is pending although what it ends is over');
      // This inspection may be the first to notice that a lease has expired.
      run.isOver = !current.some((one) => resigned.has(one.term));
    }
  }

  #inspectFollowing(states: readonly Leadership['state'][]): void {
    const [first, ...later] = this.#parts;
    const [state] = states;
    if (state === 'leading' || first === undefined) return;
    for (const { asked } of later) {
      const last = asked.findLast((words) => words.startsWith('stand 0'));
      insist(
        last === 'stand 0 no',
        `the last command to a later source is "${last}", but the first source is ${state}`,
      );
    }
  }

  #hear(leadership: Leadership): void {
    const before = this.#seen.at(-1);
    this.#seen.push(leadership);
    insist(
      before === undefined || next[before.state].includes(leadership.state),
      `${before?.state} → ${leadership.state}`,
    );
    if (before?.state === 'revoking' && leadership.state === 'waiting') {
      const run = this.#runs.find(({ term }) => term === before.term);
      insist(run?.isSettled === true, 'a term ended in order before its work had settled');
    }
    if (leadership.state === 'leading') this.#begin(leadership.term);
  }

  #begin(term: Term): void {
    const before = this.#runs.at(-1)?.term.token ?? -1n;
    insist(
      term.token > before,
      `token ${term.token} is not greater than the previous token ${before}`,
    );
    const under = this.#parts.map(({ source }) => source.role(0).term());
    const run: TermRun = {
      isOver: false,
      term,
      work: deferred(),
      isSettled: false,
      resigned: undefined,
      isResigned: false,
    };
    for (const one of under) if (one !== undefined) this.#under.get(one)?.add(run);
    void run.work.promise.then(() => {
      run.isSettled = true;
    });
    this.#runs.push(run);
    void this.#role.ifLeading(() => run.work.promise);
    if (this.#name === 'anyOf') return;
    const [first = 0n, ...later] = under.map((one) => one?.token ?? 0n);
    insist(term.token === first, `token ${term.token} is not the first source's token ${first}`);
    insist(
      later.every((token) => token > first),
      `the tokens of the sources are not in order: ${[first, ...later]}`,
    );
  }

  /** Checks a source that ended its term in order. */
  #releases(index: number, term: Term): void {
    const isLeading = this.#role.isLeading();
    if (this.#name === 'anyOf' && isLeading) {
      const run = this.#runs.at(-1);
      const isDraining = run?.term.signal.aborted === true && !run.term.fenced.aborted;
      if (run?.resigned?.has(term) && isDraining)
        insist(run.isSettled, `source ${index} was released before the resigned work had settled`);
      return;
    }
    insist(!isLeading, `source ${index} was released while the combination led`);
    for (const { isSettled } of this.#under.get(term) ?? [])
      insist(isSettled, `source ${index} was released before the work had settled`);
    if (this.#name === 'anyOf') return;
    for (const { source } of this.#parts.slice(0, index)) {
      const earlier = source.role(0).term();
      const isUsed = earlier !== undefined && (this.#under.get(earlier)?.size ?? 0) > 0;
      insist(!isUsed, `source ${index} was released before an earlier source`);
    }
  }

  /** Returns the term that has not ended, if there is one. */
  #running(): readonly TermRun[] {
    const { state } = this.#seen.at(-1) ?? {};
    return state === 'leading' || state === 'revoking' ? this.#runs.slice(-1) : [];
  }

  #holds(answers: readonly boolean[]): boolean {
    return this.#name === 'anyOf' ? answers.some(Boolean) : answers.every(Boolean);
  }

  /** Stores an error from inside a subscriber, to throw it outside. */
  #note(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#broken.push(error);
    }
  }
}
