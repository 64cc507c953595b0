// The members of a group of the conformance suite, whose addresses are in a book. In a process of
// its own, a member opens the backend of this module, whose URL names the directory of the book:
// `listed-member.mjs?book=DIR&options={…}`. The process of the voters calls `openVoter`, also for
// members that only observe.
import { backend as right, scuttlebuttLeadership, udpTransport } from '@leadership/scuttlebutt';
import { freePorts } from '@leadership/testkit/faults';
import { addressBookIn } from '@leadership/testkit/internal';

const given = new URL(import.meta.url).searchParams;
/** The voters and the sizes of every group. */
const sizes = JSON.parse(given.get('options'));

export const backend = {
  ...right,
  open({ path }, { member, ...options }) {
    const place = { directory: given.get('book'), group: path.slice(1), member };
    return openMember({ ...place, options });
  },
};

function openMember({ directory, group, member, options }) {
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
    ...options,
    ...sizes,
    group,
    member,
    transport,
  });
}

export function openVoter({ options, ...place }) {
  return openMember({ ...place, options: { ...options, campaign: false } });
}
