/**
 * Tools for the tests of the adapters of this repository: voters in a process of their own, the
 * addresses of members, proxies for gossip, the heap that is held, the content of directories,
 * renewals of leases, stops of leaders, and random numbers from a seed. Nothing here is promised.
 *
 * @internal
 * @packageDocumentation
 */
export { leaseRenewed } from './adapter/lease-renewed.ts';
export { seededRandom } from './adapter/seeded-random.ts';
export { temporaryDirectory } from './conformance/temporary-directory.ts';
export { activeFaults } from './faults/active-faults.ts';
export { blockLoop } from './faults/block-loop.ts';
export { contentOf } from './faults/content-of.ts';
export { type GossipProxy, gossipProxy } from './faults/gossip-proxy.ts';
export { heldBytes } from './faults/held-bytes.ts';
export { memberProxies } from './faults/member-proxies.ts';
export { resourcesLeft } from './faults/resources.ts';
export { type OwnStall, ownStall } from './processes/own-stall.ts';
export { stopLeader, stopMoments, writtenTokens } from './processes/stop-leader.ts';
export { type AddressBook, addressBookIn } from './voters/address-book.ts';
export { type OpenVoter, type VoterOptions, voters } from './voters/open-voter.ts';
export { startVoters, type VoterProcess } from './voters/voter-process.ts';
