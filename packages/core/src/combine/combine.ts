import { show } from '../contract/check-option.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { type Command, commandOf } from '../source/command.ts';
import { anySource, type Combination, everySource } from './combination.ts';
import { type CombinedInput, CombinedSource } from './combined-source.ts';

/**
 * Combines sources so that a member leads a role if it leads it in any of them (I7). Use one group
 * on each of several brokers or stores; a role stays led while one of them works. Two members may
 * lead at once, one per group. Tokens are not ordered, and the deadline is the latest of all parts.
 *
 * The combination owns the sources: closing it closes them. `docs/reference/combining.md` describes
 * every method.
 *
 * @param sources - one or more sources with the same member and `partitions`; some of them may only
 * observe
 * @throws LeadershipError `invalid-options` if they cannot be combined; the message names the
 * source and the reason
 */
export function anyOf(...sources: readonly LeadershipSource[]): LeadershipSource {
  return combined(sources, anySource);
}

/**
 * Combines sources so that a member leads a role only while it leads it in all of them, for moving
 * a running group from one backend to another (I7). The first source decides which member leads,
 * and its token is the term's token. In the other sources a member campaigns only for the
 * partitions that it leads in the first. The deadline is the earliest of all parts, and every part
 * waits for the work before it releases its lease.
 *
 * The combination owns the sources: closing it closes them, and it closes itself if one of them is
 * closed. `docs/reference/combining.md` describes every method and the migration of a group.
 *
 * @param sources - one or more sources with the same member and `partitions`; all of them campaign,
 * or all observe
 * @throws LeadershipError `invalid-options` if they cannot be combined; the message names the
 * source and the reason
 */
export function allOf(...sources: readonly LeadershipSource[]): LeadershipSource {
  return combined(sources, everySource);
}

function combined(
  sources: readonly LeadershipSource[],
  combination: Combination,
): LeadershipSource {
  const [first, ...later] = sources.map((source, index) => inputOf(source, index, combination));
  if (first === undefined) throw refused(combination, 'needs at least one source, and got none');
  later.forEach((other, index) => checkAlike(first, other, index + 2, combination));
  for (const [index, { source }] of later.entries()) {
    const before = sources.indexOf(source);
    if (before <= index)
      throw refused(
        combination,
        `got one source twice: as number ${before + 1} and as number ${index + 2}`,
      );
  }
  checkLimits([first, ...later], combination);
  for (const { command } of [first, ...later]) command.take();
  return new CombinedSource(first, later, combination);
}

function inputOf(source: LeadershipSource, index: number, combination: Combination): CombinedInput {
  const command = commandOf(source);
  if (command === undefined)
    throw refused(
      combination,
      `cannot take number ${index + 1}: it was not opened by this library`,
    );
  if (command.isClosing())
    throw refused(combination, `cannot take source number ${index + 1}: it is closed`);
  if (command.isTaken())
    throw refused(
      combination,
      `cannot take source number ${index + 1}: it belongs to another combination`,
    );
  return { source, command };
}

function checkAlike(
  first: CombinedInput,
  other: CombinedInput,
  number: number,
  combination: Combination,
): void {
  const differ = (what: string, one: unknown, another: unknown): LeadershipError =>
    refused(
      combination,
      `needs sources with the same ${what}: number 1 has ${show(one)}, number ${number} has ${show(another)}`,
    );
  const [a, b] = [first.source, other.source];
  if (a.partitions !== b.partitions) throw differ('partitions', a.partitions, b.partitions);
  if (a.member !== b.member) throw differ('member', a.member, b.member);
  if (combination.follows) checkFollows(first.command, other.command, number, combination);
}

function checkFollows(
  first: Command,
  other: Command,
  number: number,
  combination: Combination,
): void {
  if (first.campaigns !== other.campaigns) {
    const [observer, contender] = first.campaigns ? [number, 1] : [1, number];
    throw refused(
      combination,
      `would never lead: number ${observer} only observes, and number ${contender} would keep others from leading`,
    );
  }
  if (!other.follows)
    throw refused(
      combination,
      `needs later sources to follow the first, and the backend of number ${number} cannot`,
    );
}

/**
 * Checks that the limits of the sources are one limit of the whole (M13). With `anyOf`, a member leads
 * what it leads in any source, so each would keep its own limit only. With `allOf`, a later source with
 * a lower limit would keep the member from what it leads in the first.
 */
function checkLimits(all: readonly CombinedInput[], combination: Combination): void {
  const contenders = all.filter(({ command }) => command.campaigns);
  if (contenders.length < 2) return;
  const limits = contenders.map(({ command }) => command.partitionsMax ?? Number.POSITIVE_INFINITY);
  const [first = 0] = limits;
  const at = limits.findIndex((limit) =>
    combination.follows ? limit < first : limit < Number.POSITIVE_INFINITY,
  );
  if (at < 0) return;
  const number = all.indexOf(contenders[at] as CombinedInput) + 1;
  throw refused(
    combination,
    combination.follows
      ? `needs the lowest campaign.partitionsMax in its first source, which decides what this member leads: number ${number} has ${limits[at]}, number 1 has ${first === Number.POSITIVE_INFINITY ? 'none' : first}; give number 1 that limit, or number ${number} none`
      : `cannot keep campaign.partitionsMax ${limits[at]} of number ${number}: this member leads what it leads in any source, and each counts alone; leave it out, or use one source or allOf()`,
  );
}

function refused({ name }: Combination, sentence: string): LeadershipError {
  return new LeadershipError('invalid-options', `${name}() ${sentence}`);
}
