// Two members of any backend hand leadership back and forth. The leader resigns, and the time runs
// from its call of `resign()` until the other member calls its subscriber with `leading`.
import { msBetween } from '../measure/ms-between.ts';
import { instantNs, type MemberMessage } from './tracked-member.ts';

/** A member process. Disposing ends it. */
export interface Resigner extends AsyncDisposable {
  next(kind: 'ready' | 'leading' | 'resigning'): Promise<MemberMessage>;
  send(command: { readonly kind: 'resign' }): void;
}

/** How to start the two members (`start`), and the pause before each hand-over (`rest`). */
export interface Exchange<M extends Resigner> {
  start(member: 'a' | 'b'): M;
  rest(a: M, b: M): Promise<unknown>;
}

/**
 * The pause before each hand-over: as long as a member that has resigned does not claim the partition
 * (L9), plus some time for its timers. In T.
 */
export const restThresholds = 2.2;

/** Resolves with the duration of each of `runs` hand-overs, in milliseconds. */
export async function handOvers<M extends Resigner>(
  { start, rest }: Exchange<M>,
  runs: number,
): Promise<readonly number[]> {
  await using a = start('a');
  await a.next('leading');
  await using b = start('b');
  await b.next('ready');
  const ms: number[] = [];
  for (let leader: M = a, other: M = b; ms.length < runs; [leader, other] = [other, leader]) {
    await rest(a, b);
    ms.push(await handOver(leader, other.next('leading')));
  }
  return ms;
}

/**
 * Lets the leader resign. Resolves with the milliseconds from the beginning of `resign()` until the
 * successor leads. `successorLeads`: the next message `leading` of any other member.
 */
export async function handOver(
  leader: Pick<Resigner, 'next' | 'send'>,
  successorLeads: Promise<MemberMessage>,
): Promise<number> {
  const both = Promise.all([leader.next('resigning'), successorLeads]);
  leader.send({ kind: 'resign' });
  const [resigning, leading] = await both;
  return msBetween(instantNs(resigning), instantNs(leading));
}
