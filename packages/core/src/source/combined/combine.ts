import { LeadershipError } from '../../contract/leadership-error.ts';
import type { LeadershipSource } from '../../contract/source.ts';
import { type Command, commandOf } from '../command.ts';
import { anySource, type Combination, everySource } from './combination.ts';
import { CombinedSource, type Ingredient } from './combined-source.ts';

/**
 * A source that leads a role wherever any of `sources` does (I7): one group on each of several brokers or stores, so that a role is led
 * as long as one of them works. Two members may lead at once, one in each group; tokens order nothing; the deadline is the latest.
 *
 * The sources are its own from here on: closing it closes them. `docs/combining.md` says what every answer means.
 *
 * @param sources - one or more, of one member and with the same `partitions`; some of them may observe only
 * @throws LeadershipError `invalid-options` where they cannot be combined; says which and why
 */
export function anyOf(...sources: readonly LeadershipSource[]): LeadershipSource {
  return combined(sources, anySource);
}

/**
 * A source that leads a role only while all of `sources` do: for moving a running group from one backend to another (I7). The first
 * source decides who is to lead, and its token is the term's; in the others a member stands only for what it leads in the first. The
 * deadline is the earliest; work is waited for before any of them lets go.
 *
 * The sources are its own from here on: closing it closes them, and it closes itself where one of them was. `docs/combining.md` says
 * what every answer means, and how a group moves.
 *
 * @param sources - one or more, of one member and with the same `partitions`; all of them contend, or all observe
 * @throws LeadershipError `invalid-options` where they cannot be combined; says which and why
 */
export function allOf(...sources: readonly LeadershipSource[]): LeadershipSource {
  return combined(sources, everySource);
}

function combined(sources: readonly LeadershipSource[], combination: Combination): LeadershipSource {
  const [first, ...later] = sources.map((source, index) => ingredientOf(source, index, combination));
  if (first === undefined) throw refused(combination, 'needs at least one source, and got none');
  later.forEach((other, index) => insistAlike(first, other, index + 2, combination));
  for (const [index, { source }] of later.entries()) {
    const before = sources.indexOf(source);
    if (before <= index) throw refused(combination, `got one source twice: as number ${before + 1} and as number ${index + 2}`);
  }
  for (const { command } of [first, ...later]) command.take();
  return new CombinedSource(first, later, combination);
}

function ingredientOf(source: LeadershipSource, index: number, combination: Combination): Ingredient {
  const command = commandOf(source);
  if (command === undefined) throw refused(combination, `cannot take number ${index + 1}: it is no source that this library opened`);
  if (command.isClosing()) throw refused(combination, `cannot take source number ${index + 1}: it is closed`);
  if (command.isTaken()) throw refused(combination, `cannot take source number ${index + 1}: it belongs to another combination`);
  return { source, command };
}

function insistAlike(first: Ingredient, other: Ingredient, number: number, combination: Combination): void {
  const differ = (what: string, one: unknown, another: unknown): LeadershipError =>
    refused(combination, `needs sources with the same ${what}: number 1 has ${show(one)}, number ${number} has ${show(another)}`);
  const [a, b] = [first.source, other.source];
  if (a.partitions !== b.partitions) throw differ('partitions', a.partitions, b.partitions);
  if (a.member !== b.member) throw differ('member', a.member, b.member);
  if (combination.follows) insistFollows(first.command, other.command, number, combination);
}

function insistFollows(first: Command, other: Command, number: number, combination: Combination): void {
  if (first.campaigns !== other.campaigns) {
    const [observer, contender] = first.campaigns ? [number, 1] : [1, number];
    throw refused(
      combination,
      `would never lead: number ${observer} only observes, and number ${contender} would keep others from leading`,
    );
  }
  if (!other.follows) throw refused(combination, `needs later sources to follow the first, and the backend of number ${number} cannot`);
}

function refused({ name }: Combination, sentence: string): LeadershipError {
  return new LeadershipError('invalid-options', `${name}() ${sentence}`);
}

function show(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}
