// The machines of one group on one clock. Messages arrive a millisecond later. No disk, no host, no
// faults.
import {
  driftRules,
  type Epoch,
  type MemberState,
  type NerioInput,
  newMember,
  step,
} from '../../src/protocol.ts';
import { momentAt, selfNamed, settled } from './test-members.ts';

type Said = Extract<NerioInput, { readonly kind: 'received' }>['item'];

interface Letter {
  readonly at: number;
  readonly to: string;
  readonly input: NerioInput;
}

export class Machines {
  now = 0;
  readonly #states = new Map<string, MemberState>();
  readonly #wakes = new Map<string, number>();
  readonly #epoch: Epoch;
  #letters: Letter[] = [];
  #lives = 0;
  /** The number of messages dropped as implausible. */
  implausible = 0;
  readonly #partitions: number;
  readonly #terms = new Set<string>();
  /** The answers of a member that is not one of the machines. */
  answers: (item: Said) => readonly Said[] = () => [];

  /** Runs only these members; other members of the epoch send only what `answers` returns. */
  constructor(epoch: Epoch, names: readonly string[], partitions = 1) {
    this.#epoch = epoch;
    this.#partitions = partitions;
    for (const name of names) this.#put(name, settled(selfNamed(name, { partitions }), epoch));
  }

  /** Sends a message to all running members. */
  say(from: string, epoch: number, item: Said): void {
    const input: NerioInput = {
      kind: 'received',
      from: { member: from, incarnation: `${from}0` },
      epoch,
      item,
    };
    for (const to of this.#states.keys()) this.#letters.push({ at: this.now, to, input });
  }

  /** Starts the member without memory; ends it first if it runs. */
  restart(name: string): void {
    this.#lives += 1;
    const state = this.#states.get(name);
    const hardState = { epoch: state?.electorate.epoch ?? this.#epoch, wedge: undefined };
    this.#put(
      name,
      newMember(
        driftRules,
        selfNamed(name, { life: this.#lives, partitions: this.#partitions }),
        { hardState },
        this.#moment(),
      ),
    );
  }

  /** Ends the term of this member in order. */
  resign(name: string): void {
    this.#take(name, { kind: 'resign', partition: 0, atLeastMs: 0 });
  }

  /** Advances time. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const letter = this.#letters.reduce<Letter | undefined>(
        (first, one) => (first && first.at <= one.at ? first : one),
        undefined,
      );
      const [name, wakeAt] = [...this.#wakes].reduce(
        (first, one) => (first[1] <= one[1] ? first : one),
        ['', Number.POSITIVE_INFINITY],
      );
      if (Math.min(letter?.at ?? Number.POSITIVE_INFINITY, wakeAt) > until) break;
      if (letter !== undefined && letter.at <= wakeAt) {
        this.#letters = this.#letters.filter((one) => one !== letter);
        this.now = Math.max(this.now, letter.at);
        this.#take(letter.to, letter.input);
      } else {
        this.now = Math.max(this.now, wakeAt);
        this.#take(name, { kind: 'wake' });
      }
    }
    this.now = until;
  }

  /** The leader and its token. */
  leader(): { readonly member: string; readonly token: bigint } | undefined {
    for (const [member, { claims }] of this.#states) {
      const leaseState = claims[0]?.leaseState;
      if (leaseState?.kind === 'leading' && this.now < leaseState.deadline)
        return { member, token: leaseState.token };
    }
    return undefined;
  }

  /** The number of partitions that each member leads, by name. */
  shares(): Readonly<Record<string, number>> {
    const led = ({ claims }: MemberState): number =>
      claims.filter(({ leaseState }) => leaseState.kind === 'leading').length;
    return Object.fromEntries([...this.#states].map(([member, state]) => [member, led(state)]));
  }

  /** The number of terms that have begun. */
  get terms(): number {
    return this.#terms.size;
  }

  /** The numbers of the members' epochs. */
  epochs(): readonly number[] {
    return [...this.#states.values()].map(({ electorate }) => electorate.number);
  }

  #put(name: string, state: MemberState): void {
    this.#states.set(name, state);
    this.#wakes.set(name, this.now);
  }

  #moment() {
    return momentAt(this.now, 1_790_000_000_000_000 + Math.floor(this.now * 1000));
  }

  #take(name: string, input: NerioInput): void {
    const before = this.#states.get(name);
    if (before === undefined) return;
    const { state, outputs, wakeAt } = step(driftRules, before, input, this.#moment());
    this.#states.set(name, state);
    this.#wakes.set(name, Math.max(wakeAt, this.now + 0.01));
    const from = { member: state.self.member, incarnation: state.self.incarnation };
    for (const output of outputs) {
      if (output.kind === 'implausible') this.implausible += 1;
      if (output.kind === 'granted') this.#terms.add(`${name} ${output.partition} ${output.token}`);
      if (output.kind === 'drain')
        this.#letters.push({
          at: this.now,
          to: name,
          input: { kind: 'drained', partition: output.partition },
        });
      if (output.kind !== 'send' && output.kind !== 'send-by-name') continue;
      const { item } = output;
      const epoch = output.kind === 'send' ? output.electorate.number : output.epoch;
      const to =
        output.kind === 'send-by-name'
          ? output.to
          : output.electorate.names.filter((_, index) => (output.to & (1 << index)) !== 0);
      for (const one of to) {
        this.#letters.push({
          at: this.now + 1,
          to: one,
          input: { kind: 'received', from, epoch, item },
        });
        if (!this.#states.has(one))
          for (const said of this.answers(item)) this.#answer(one, name, epoch, said);
      }
    }
  }

  #answer(member: string, to: string, epoch: number, item: Said): void {
    const input: NerioInput = {
      kind: 'received',
      from: { member, incarnation: `${member}0` },
      epoch,
      item,
    };
    this.#letters.push({ at: this.now + 2, to, input });
  }
}
