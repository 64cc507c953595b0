import type {
  Accepted,
  AcceptedReply,
  AcceptRequest,
  Bindable,
  Outranked,
  Probe,
  Running,
  Wedged,
  WedgeRequest,
} from '../../protocol/message.ts';
import { epochForm } from './epoch-form.ts';
import { type Form, readBallot, readTokens, writeBallot, writeTokens } from './scope.ts';

/** What is to follow, and in which attempt. */
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

export const probeForm: Form<Probe> = {
  write: (to, { ballot }) => writeBallot(to, ballot),
  read: (from, scope) => ({ kind: 'probe', ballot: readBallot(from, scope) }),
};

export const bindableForm: Form<Bindable> = {
  write: (to, { ballot }) => writeBallot(to, ballot),
  read: (from, scope) => ({ kind: 'bindable', ballot: readBallot(from, scope) }),
};

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
    return { kind: 'wedged', ballot, tokens, accepted: from.flag() ? acceptedForm.read(from, scope) : undefined };
  },
};

export const acceptedReplyForm: Form<AcceptedReply> = {
  write: (to, { ballot }) => writeBallot(to, ballot),
  read: (from, scope) => ({ kind: 'accepted', ballot: readBallot(from, scope) }),
};

export const outrankedForm: Form<Outranked> = {
  write: (to, { by }) => writeBallot(to, by),
  read: (from, scope) => ({ kind: 'outranked', by: readBallot(from, scope) }),
};

export const runningForm: Form<Running> = {
  write: (to, { epoch }, ends) => epochForm.write(to, epoch, ends),
  read: (from, scope) => ({ kind: 'running', epoch: epochForm.read(from, scope) }),
};
