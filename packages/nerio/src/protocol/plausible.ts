// Rejects values that no member sends, though the wire format could carry them. A token near 2^63,
// or an epoch or ballot near 2^53, would leave no greater value for an election or a change of
// members (N13, N16). Such a message is dropped and counted.
import type { Epoch } from './electorate.ts';
import type { Ballot, Item } from './message.ts';
import { claimOf, grantOf, type StepContext } from './step-context.ts';

/**
 * Attempts and epochs count one by one. A member that was away may have missed many, but never this
 * number.
 */
const missedMax = 2 ** 20;

/** Whether a message contains no value that its receiver can rule out. */
export function isPlausible(context: StepContext, epoch: number, item: Item): boolean {
  if (epoch > context.state.electorate.number + missedMax) return false;
  switch (item.kind) {
    case 'grant-request':
      return isToken(context, item.partition, item.token);
    case 'ok':
      return isToken(context, item.partition, item.rival);
    case 'learned':
      return (
        areTokens(context, item.tokens) &&
        item.epochMax <= context.state.electorate.number + missedMax
      );
    case 'running':
      return isEpoch(context, item.epoch);
    default:
      return isAboutTheEnd(context, item);
  }
}

/** The same for the messages that end an epoch. The codec already bounds all others. */
function isAboutTheEnd(context: StepContext, item: Item): boolean {
  switch (item.kind) {
    case 'probe':
    case 'bindable':
      return isBallot(context, item.ballot);
    case 'outranked':
      return isBallot(context, item.by);
    case 'wedge':
    case 'accept':
    case 'accepted':
      return isBallot(context, item.ballot) && isEpoch(context, item.next);
    case 'wedged': {
      const { accepted } = item;
      const isSound = isBallot(context, item.ballot) && areTokens(context, item.tokens);
      return (
        isSound &&
        (accepted === undefined ||
          (isBallot(context, accepted.ballot) && isEpoch(context, accepted.next)))
      );
    }
    default:
      return true;
  }
}

function isBallot({ state }: StepContext, { round }: Ballot): boolean {
  return round <= Math.max(state.knownRound, state.wedge?.promised.round ?? 0) + missedMax;
}

function isEpoch(context: StepContext, { number, tokens }: Epoch): boolean {
  return number <= context.state.electorate.number + missedMax && areTokens(context, tokens);
}

function areTokens(context: StepContext, tokens: readonly bigint[]): boolean {
  return tokens.every((token, partition) => isToken(context, partition, token));
}

/**
 * A token is at most what this member knows and a little more, or what the wall clock makes of it.
 */
function isToken(context: StepContext, partition: number, token: bigint): boolean {
  if (partition < 0 || partition >= context.state.self.partitions) return true;
  const granted = grantOf(context, partition).token;
  const { ownToken } = claimOf(context, partition);
  return (
    token <=
    context.rules.tokenLimit(granted > ownToken ? granted : ownToken, context.moment.wallMicros)
  );
}
