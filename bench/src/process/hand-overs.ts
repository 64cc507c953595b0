// Two members pass leadership to and fro, whatever the election: the one that leads is told to resign, and the time runs from its
// call of `resign()` until the other calls its subscriber with `leading`.
import { msBetween } from '../measure/ms-between.ts';
import type { Said } from './attended.ts';

/** A member in a process of its own. Disposing ends it. */
export interface Resigner extends AsyncDisposable {
  next(kind: 'ready' | 'leading' | 'resigning'): Promise<Said>;
  tell(command: { readonly kind: 'resign' }): void;
}

/** Two members, and what goes before each hand-over. */
export interface Exchange<M extends Resigner> {
  start(member: 'a' | 'b'): M;
  rest(a: M, b: M): Promise<unknown>;
}

/** How long one that has resigned leaves the partition alone (L9), and a little more for its timers. In T. */
export const abstainsThresholds = 2.2;

/** How long each of so many hand-overs took. Milliseconds. */
export async function handOvers<M extends Resigner>({ start, rest }: Exchange<M>, runs: number): Promise<readonly number[]> {
  await using a = start('a');
  await a.next('leading');
  await using b = start('b');
  await b.next('ready');
  const ms: number[] = [];
  for (let leader: M = a, other: M = b; ms.length < runs; [leader, other] = [other, leader]) {
    await rest(a, b);
    ms.push(await handOver(leader, other));
  }
  return ms;
}

async function handOver(leader: Resigner, other: Resigner): Promise<number> {
  const both = Promise.all([leader.next('resigning'), other.next('leading')]);
  leader.tell({ kind: 'resign' });
  const [resigning, leading] = await both;
  return msBetween(resigning.atNs ?? '', leading.atNs ?? '');
}
