/**
 * Parts that the command `leadership guard` and the sources that it guards share. A guard is a
 * process of the host that proves when another one has died, so that its lease is released at once.
 *
 * They are not for applications and not for other adapters: nothing here is promised, and everything
 * may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
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
export { type Observation, provesDeath } from '../process/guard/proof.ts';
export { reportDeath } from '../source/guarded.ts';
