// The members of a group of the conformance suite, whose addresses are in a book. In a process of
// its own, a member opens the backend of this module, whose URL names the directory of the book:
// `listed-member.mjs?book=DIR`. The process of the voters calls `openVoter`.
import { backend as right, scuttlebuttLeadership, udpTransport } from '@leadership/scuttlebutt';
import { freePorts } from '@leadership/testkit/faults';
import { addressBookIn, voters } from '@leadership/testkit/internal';

/** Groups of the suite are small. Few messages, because a hundred members share two cores. */
const sizes = { membersMax: 8, intervalMs: 170, fanout: 2 };

export const backend = {
  ...right,
  open({ path }, { member, ...options }) {
    const directory = new URL(import.meta.url).searchParams.get('book');
    return openVoter({ directory, group: path.slice(1), member, options });
  },
};

export function openVoter({ directory, group, member, options }) {
  const book = addressBookIn(directory, group);
  const transport = async (place, listener) => {
    const [port] = await freePorts(1);
    const open = udpTransport({
      listen: { host: '127.0.0.1', port },
      addresses: book.addressOf,
    });
    const opened = await open(place, listener);
    book.enter(member, port);
    return opened;
  };
  return scuttlebuttLeadership({
    ...{ ...options, group, member, voters, ...sizes, transport },
    ...(voters.includes(member) && { campaign: false }),
  });
}
