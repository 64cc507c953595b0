// The binary formats of the messages that end an epoch and agree on the next (N13, in
// docs/explanation/nerio.md).
import type {
  Accepted,
  AcceptedReply,
  AcceptRequest,
  Ballot,
  Bindable,
  Outranked,
  Probe,
  Running,
  Wedged,
  WedgeRequest,
} from '../../protocol/message.ts';
import { epochForm } from './epoch-form.ts';
import { type Form, readBallot, readTokens, writeBallot, writeTokens } from './scope.ts';

/** A next epoch and the ballot of the attempt. */
const acceptedForm: Form<Accepted> = {
  write(to, { ballot, next }, ends) {
    writeBallot(to, ballot);
    epochForm.write(to, next, ends);
  },
  read(from, scope) {
    const ballot = readBallot(from, scope);
    const next = epochForm.read(from, scope);
    if (next.number !== scope.epoch + 1) from.fail();
    return { ballot, next };
  },
};

/** A message that consists of a ballot only. */
function ballotForm<Kind extends string>(
  kind: Kind,
): Form<{ readonly kind: Kind; readonly ballot: Ballot }> {
  return {
    write: (to, { ballot }) => writeBallot(to, ballot),
    read: (from, scope) => ({ kind, ballot: readBallot(from, scope) }),
  };
}

export const probeForm: Form<Probe> = ballotForm('probe');

export const bindableForm: Form<Bindable> = ballotForm('bindable');

export const wedgeForm: Form<WedgeRequest> = {
  write: acceptedForm.write,
  read: (from, scope) => ({ kind: 'wedge', ...acceptedForm.read(from, scope) }),
};

export const acceptForm: Form<AcceptRequest> = {
  write: acceptedForm.write,
  read: (from, scope) => ({ kind: 'accept', ...acceptedForm.read(from, scope) }),
};

export const wedgedForm: Form<Wedged> = {
  write(to, { ballot, tokens, accepted }, ends) {
    writeBallot(to, ballot);
    writeTokens(to, tokens);
    to.flag(accepted !== undefined);
    if (accepted !== undefined) acceptedForm.write(to, accepted, ends);
  },
  read(from, scope) {
    const ballot = readBallot(from, scope);
    const tokens = readTokens(from, scope.partitions);
    return {
      kind: 'wedged',
      ballot,
      tokens,
      accepted: from.flag() ? acceptedForm.read(from, scope) : undefined,
    };
  },
};

export const acceptedReplyForm: Form<AcceptedReply> = {
  write: acceptedForm.write,
  read: (from, scope) => ({ kind: 'accepted', ...acceptedForm.read(from, scope) }),
};

export const outrankedForm: Form<Outranked> = {
  write: (to, { by }) => writeBallot(to, by),
  read: (from, scope) => ({ kind: 'outranked', by: readBallot(from, scope) }),
};

export const runningForm: Form<Running> = {
  write: (to, { epoch }, ends) => epochForm.write(to, epoch, ends),
  read: (from, scope) => ({ kind: 'running', epoch: epochForm.read(from, scope) }),
};
