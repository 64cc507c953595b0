import { deepStrictEqual, fail } from 'node:assert/strict';
import type { Exchange, Exchanged, RowChange, Rows } from '@leadership/core/adapter';

/** How a reader asks. Default: nothing is changed, since the last answer. */
export type Request = Partial<Exchange> & { readonly signal?: AbortSignal };

/** A member that reads and changes rows, and keeps what it knows of them, as the machine does. */
export class Reader implements AsyncDisposable {
  readonly rows: Rows;
  /** The rows that it knows, its own changes included. */
  view: ReadonlyMap<string, string> = new Map();
  position: unknown;

  constructor(rows: Rows) {
    this.rows = rows;
  }

  /** Sends a request, and judges the form of the answer. The reader learns nothing of it. */
  async send({ signal = newSignal(), ...request }: Request = {}): Promise<Exchanged> {
    const changes = request.changes ?? [];
    const since = 'since' in request ? request.since : this.position;
    const answer = await this.rows.exchange({ since, ...request, changes }, signal);
    const names = answer.rows.map(([name]) => name);
    deepStrictEqual(names, [...new Set(names)], 'an answer shows a row twice');
    deepStrictEqual(
      answer.outcomes.length,
      changes.length,
      'outcomes and changes differ in number',
    );
    if (since === undefined && !answer.isWhole) fail('the first answer is not whole');
    if (answer.isRestarted && !answer.isWhole) fail('an answer of another history is not whole');
    return answer;
  }

  /** Takes what an answer shows. */
  take({ rows, isWhole, position, outcomes }: Exchanged, changes: readonly RowChange[] = []): void {
    const view = new Map(isWhole ? [] : this.view);
    for (const [name, text] of rows) set(view, name, text);
    // Its rows are those before the changes.
    if (this.rows.traits.readsFirst)
      for (const [index, { name, text }] of changes.entries())
        if (outcomes[index]) set(view, name, text);
    this.view = view;
    this.position = position;
  }

  /** Sends a request and takes its answer. */
  async exchange(request: Request = {}): Promise<Exchanged> {
    const answer = await this.send(request);
    this.take(answer, request.changes);
    return answer;
  }

  /** Makes changes, as `[name, expected, text]`. Resolves with the outcomes. */
  async change(...changes: readonly Triple[]): Promise<readonly boolean[]> {
    return (await this.exchange({ changes: changesOf(...changes) })).outcomes;
  }

  /** Reads. Resolves with all rows that it knows then. */
  async read(): Promise<Readonly<Record<string, string>>> {
    await this.exchange();
    return this.known;
  }

  /** The rows that it knows. */
  get known(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.view);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rows.close();
  }
}

/** A change as `[name, expected, text]`. */
export type Triple = readonly [name: string, expected: string | null, text: string | null];

/** Returns the changes. */
export function changesOf(...triples: readonly Triple[]): readonly RowChange[] {
  return triples.map(([name, expected, text]) => ({ name, expected, text }));
}

/** A request that takes longer hangs, also on a starved machine. Milliseconds. */
const requestMsMax = 30_000;

/** A signal of each request: Node warns of a leak where many requests listen to one. */
function newSignal(): AbortSignal {
  return AbortSignal.timeout(requestMsMax);
}

function set(view: Map<string, string>, name: string, text: string | null): void {
  if (text === null) view.delete(name);
  else view.set(name, text);
}
