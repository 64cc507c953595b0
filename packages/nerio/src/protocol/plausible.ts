// Rejects values that no member sends, though the wire format could carry them. A token near 2^63,
// or an epoch or ballot near 2^53, would leave no greater value for an election or a change of
// members (N13, N16). Such a message is dropped and counted.
import type { Epoch } from './electorate.ts';
import type { Ballot, Item } from './message.ts';
import { claimOf, grantOf, type Turn } from './turn.ts';

/**
 * Attempts and epochs count one by one. A member that was away may have missed many, but never this
 * number.
 */
const missedMax = 2 ** 20;

/** Whether a message contains no value that its receiver can rule out. */
export function isPlausible(turn: Turn, epoch: number, item: Item): boolean {
  if (epoch > turn.state.electorate.number + missedMax) return false;
  switch (item.kind) {
    case 'ask':
      return isToken(turn, item.partition, item.token);
    case 'ok':
      return isToken(turn, item.partition, item.rival);
    case 'learned':
      return (
        areTokens(turn, item.tokens) && item.epochMax <= turn.state.electorate.number + missedMax
      );
    case 'running':
      return isEpoch(turn, item.epoch);
    default:
      return isAboutTheEnd(turn, item);
  }
}

/** The same for the messages that end an epoch. The codec already bounds all others. */
function isAboutTheEnd(turn: Turn, item: Item): boolean {
  switch (item.kind) {
    case 'probe':
    case 'bindable':
      return isBallot(turn, item.ballot);
    case 'outranked':
      return isBallot(turn, item.by);
    case 'wedge':
    case 'accept':
    case 'accepted':
      return isBallot(turn, item.ballot) && isEpoch(turn, item.next);
    case 'wedged': {
      const { accepted } = item;
      const isSound = isBallot(turn, item.ballot) && areTokens(turn, item.tokens);
      return (
        isSound &&
        (accepted === undefined ||
          (isBallot(turn, accepted.ballot) && isEpoch(turn, accepted.next)))
      );
    }
    default:
      return true;
  }
}

function isBallot({ state }: Turn, { round }: Ballot): boolean {
  return round <= Math.max(state.knownRound, state.wedge?.promised.round ?? 0) + missedMax;
}

function isEpoch(turn: Turn, { number, tokens }: Epoch): boolean {
  return number <= turn.state.electorate.number + missedMax && areTokens(turn, tokens);
}

function areTokens(turn: Turn, tokens: readonly bigint[]): boolean {
  return tokens.every((token, partition) => isToken(turn, partition, token));
}

/**
 * A token is at most what this member knows and a little more, or what the wall clock makes of it.
 */
function isToken(turn: Turn, partition: number, token: bigint): boolean {
  if (partition < 0 || partition >= turn.state.self.partitions) return true;
  const granted = grantOf(turn, partition).token;
  const { ownToken } = claimOf(turn, partition);
  return (
    token <= turn.rules.tokenLimit(granted > ownToken ? granted : ownToken, turn.moment.wallMicros)
  );
}
