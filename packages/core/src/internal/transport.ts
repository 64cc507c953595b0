/**
 * The parts that the transports of Nerio and of gossip share.
 *
 * They are not for applications and not for other adapters: nothing here is promised, and everything
 * may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export {
  type Addresses,
  type Addressing,
  addressAt,
  addressBook,
  checkListen,
  groupFault,
  listenAt,
  refusedAddress,
} from '../transport/addressing.ts';
export { ByteReader } from '../transport/byte-reader.ts';
export { ByteWriter } from '../transport/byte-writer.ts';
export { ConnectionLimits, type InboundSocket } from '../transport/connection-limits.ts';
export { callGuarded, notifyGuarded } from '../transport/guarded-callback.ts';
export { type HostPort, isLoopback, parseHostPort } from '../transport/host-port.ts';
export { type GroupKeys, type Keyring, keyIdBytesMax, keyringOf } from '../transport/keyring.ts';
export { asFunction, LoadedKeys, loadSecret, renewed } from '../transport/loaded-keys.ts';
export { networkOf } from '../transport/network-of.ts';
export { RateLimit } from '../transport/rate-limit.ts';
export { type Seal, signatureBytes } from '../transport/seal.ts';
