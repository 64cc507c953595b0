// The binary format of declarations, by which members vote. Partitions with the same support share
// it, as in the state of the voter, so that the receiver counts the same sizes.
import {
  type ByteReader,
  type Form,
  fieldsForm,
  flagForm,
  readList,
  tokenForm,
  wholeForm,
} from '@leadership/peer';
import type {
  Answer,
  Attest,
  Candidacy,
  Declaration,
  Life,
  Resignation,
  Support,
  Vote,
} from '../../protocol/election/declaration.ts';
import {
  clockForm,
  fewForm,
  manyForm,
  nameForm,
  readBits,
  shortForm,
  writeBits,
} from './values.ts';

/** The values that the receiver of a message knows without reading it. */
export interface Scope {
  readonly partitions: number;
}

/** A form that is read with the number of partitions. */
export type ScopedForm<T> = Form<T, unknown, Scope>;

const life = { member: nameForm, generation: wholeForm };

const supportForm: Form<Support> = fieldsForm<Support>({
  ...life,
  bound: clockForm,
  token: tokenForm,
  above: tokenForm,
});

/** By partition, the number of its support among the different ones, which follow; 0 for none. */
const supportsForm: ScopedForm<Vote['supports']> = {
  write(to, supports, sender) {
    shortForm.write(to, supports.length, sender);
    const shared: Support[] = [];
    for (const support of supports) {
      if (support && !shared.includes(support)) shared.push(support);
      to.byte(support ? shared.indexOf(support) + 1 : 0);
    }
    for (const support of shared) supportForm.write(to, support, sender);
  },
  read(from, scope) {
    checkPartitions(from, scope);
    const indices = readList(from, scope.partitions, () => from.byte());
    const shared = readList(from, sharedIn(from, indices), () => supportForm.read(from, scope));
    return indices.map((index) => shared[index - 1]);
  },
};

function checkPartitions(from: ByteReader, scope: Scope): void {
  if (shortForm.read(from, scope) !== scope.partitions) from.fail();
}

/** The number of different supports. They are numbered in the order of their first use. */
function sharedIn(from: ByteReader, indices: readonly number[]): number {
  let count = 0;
  for (const index of indices) {
    if (index > count + 1) from.fail();
    count = Math.max(count, index);
  }
  return count;
}

const voteForm: ScopedForm<Vote> = fieldsForm<Vote, unknown, Scope>({
  supports: supportsForm,
  known: tokenForm,
  ask: wholeForm,
  answers: fewForm(fieldsForm<Answer>({ ...life, ask: wholeForm, remembers: flagForm })),
  witnesses: fewForm(fieldsForm<Life>(life)),
  attests: fewForm(fieldsForm<Attest>({ ...life, last: wholeForm, known: tokenForm })),
});

const resignationsForm: ScopedForm<readonly Resignation[]> = manyForm(
  fieldsForm<Resignation, unknown, Scope>({
    partition: {
      write: (to, partition) => to.uint(partition),
      read: (from, { partitions }) => from.uint(partitions - 1),
    },
    horizon: clockForm,
    successor: {
      // No member has an empty name.
      write: (to, successor = '', sender) => nameForm.write(to, successor, sender),
      read: (from, scope) => nameForm.read(from, scope) || undefined,
    },
  }),
);

const candidacyForm: ScopedForm<Candidacy> = {
  write(to, { claim, stands, leads, leaving, wants, resignations }, sender) {
    shortForm.write(to, stands.length, sender);
    to.token(claim);
    writeBits(to, stands);
    writeBits(
      to,
      stands.map((_, partition) => leads[partition] !== undefined),
    );
    writeBits(to, leaving);
    writeBits(to, wants);
    for (const token of leads) if (token !== undefined) to.token(token);
    resignationsForm.write(to, resignations, sender);
  },
  read(from, scope) {
    checkPartitions(from, scope);
    const { partitions } = scope;
    const claim = from.token();
    const stands = readBits(from, partitions);
    const isLed = readBits(from, partitions);
    const leaving = readBits(from, partitions);
    const wants = readBits(from, partitions);
    const tokens = isLed.map((is) => (is ? from.token() : undefined));
    const leads = isLed.includes(true) ? tokens : [];
    return {
      claim,
      stands,
      leads,
      leaving,
      wants,
      resignations: resignationsForm.read(from, scope),
    };
  },
};

const hasVote = 1;
const hasCandidacy = 2;

export const declarationForm: ScopedForm<Declaration> = {
  write(to, { vote, candidacy }, sender) {
    to.byte((vote ? hasVote : 0) | (candidacy ? hasCandidacy : 0));
    if (vote) voteForm.write(to, vote, sender);
    if (candidacy) candidacyForm.write(to, candidacy, sender);
  },
  read(from, scope) {
    const parts = from.byte();
    if (parts > (hasVote | hasCandidacy)) from.fail();
    const vote = (parts & hasVote) === 0 ? undefined : voteForm.read(from, scope);
    const candidacy = (parts & hasCandidacy) === 0 ? undefined : candidacyForm.read(from, scope);
    return { vote, candidacy };
  },
};
