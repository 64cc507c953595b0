/**
 * Parts that the commands `leadership guard` and `leadership run` share with the sources of members. A
 * guard, and the watchdog of `run`, prove when another process of the host has died, so that its lease is
 * released at once.
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
export { incarnationToReport, reportDeath } from '../source/guarded.ts';
