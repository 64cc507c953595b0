/**
 * What the tests of an adapter's own parts need, below a whole source: a host that notes what it is told, a ledger followed and written
 * to by hand, and waiting.
 *
 * @packageDocumentation
 */
export { type Awaited, eventually } from './adapter/eventually.ts';
export { type FollowedLedger, followLedger, type LedgerUse } from './adapter/follow-ledger.ts';
export { type NotingHost, notingHost } from './adapter/noting-host.ts';
export { type StallMeter, stallMeter } from './conformance/stall.ts';
