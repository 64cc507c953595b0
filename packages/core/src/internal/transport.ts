/**
 * The parts that the transports of this repository share. They are not for applications and not for
 * other adapters: nothing here is promised, and everything may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export { ByteReader } from '../transport/byte-reader.ts';
export { ByteWriter } from '../transport/byte-writer.ts';
export { type HostPort, isLoopback, parseHostPort } from '../transport/host-port.ts';
export { type GroupKeys, type Keyring, keyIdBytesMax, keyringOf } from '../transport/keyring.ts';
export { type Seal, signatureBytes } from '../transport/seal.ts';
