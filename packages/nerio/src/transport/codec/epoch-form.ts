// The binary format of an epoch: the members of a group, and which sets of them decide.
import {
  entriesForm,
  type Form,
  fieldsForm,
  kindsForm,
  listForm,
  oneOfForm,
  optionalForm,
  readList,
  textForm,
  uintForm,
  wholeMax,
} from '@leadership/peer';
import { type Epoch, type EpochMember, faultInEpoch } from '../../protocol/electorate.ts';
import { membersMax } from '../../protocol/members.ts';
import type { QuorumSpec } from '../../protocol/quorums.ts';
import { nameBytesMax, quorumPlacesMax, quorumSetsMax } from './limits.ts';
import { amountForm, type ScopedForm } from './values.ts';

/** The value of one right of a member: unspecified, denied or granted. */
const rightForm: Form<boolean | undefined> = oneOfForm([undefined, false, true]);

const memberForm: Form<EpochMember> = fieldsForm<EpochMember>({
  member: textForm(nameBytesMax),
  votes: rightForm,
  stands: rightForm,
});
const countForm: Form<number> = uintForm(membersMax);
const membersForm: Form<readonly EpochMember[]> = listForm(countForm, memberForm);

type Names = readonly string[];

/** The name of a member, encoded by its index in the epoch. */
const placeForm: Form<string, Names> = {
  write: (to, name, names) => to.uint(names.indexOf(name)),
  read(from, names) {
    const name = names[from.uint(membersMax)];
    if (name === undefined) from.fail();
    return name ?? '';
  },
};

const setForm: Form<readonly string[], Names> = listForm(countForm, placeForm);
const setsForm: Form<readonly (readonly string[])[], Names> = {
  write(to, sets, names) {
    to.uint(sets.length);
    for (const set of sets) setForm.write(to, set, names);
  },
  read(from, names) {
    let places = 0;
    return readList(from, from.uint(quorumSetsMax), () => {
      const set = setForm.read(from, names);
      places += set.length;
      if (places > quorumPlacesMax) from.fail();
      return set;
    });
  },
};

const quorumsForm: Form<QuorumSpec, Names> = kindsForm<QuorumSpec, Names>({
  majority: {},
  weights: {
    weights: entriesForm(membersMax, placeForm, amountForm),
    need: optionalForm(amountForm),
  },
  grid: { rows: setsForm },
  sets: { sets: setsForm },
});

/** Rejects an epoch that could elect no leader, or two. */
export const epochForm: ScopedForm<Epoch> = {
  write(to, { number, members, quorums, tokens }) {
    to.uint(number);
    membersForm.write(to, members, undefined);
    const names = members.map(({ member }) => member);
    quorumsForm.write(to, quorums, names);
    to.uint(tokens.length);
    for (const token of tokens) to.token(token);
  },
  read(from, { partitions }) {
    const number = from.uint(wholeMax);
    const members = membersForm.read(from, undefined);
    const names = members.map(({ member }) => member);
    const quorums = quorumsForm.read(from, names);
    const tokens = readList(from, from.uint(partitions), () => from.token());
    const epoch = { number, members, quorums, tokens };
    if (from.isSound && faultInEpoch(epoch) !== undefined) from.fail();
    return epoch;
  },
};
