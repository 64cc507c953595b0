/**
 * What the guard of the command and the sources that it guards agree on.
 *
 * They are not for applications and not for other adapters: nothing here is promised, and everything
 * may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export { type Observation, provesDeath } from '../ledger/protocol/proof.ts';
export {
  type GuardHello,
  goodbye,
  guardVariable,
  helloBytesMax,
  identityOf,
  parseHello,
} from '../process/guard/hello.ts';
export { type LoopbackServer, serveOnLoopback } from '../process/guard/loopback-server.ts';
export { probeAddress } from '../process/guard/probe.ts';
export { reportDeath } from '../source/guarded.ts';
