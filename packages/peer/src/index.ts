/**
 * The transports of Nerio and of gossip share this: addresses, keys and signatures, limits of
 * connections and rates, and the encoding of values. It is not for applications: nothing here is
 * promised, and everything may change in every minor version.
 *
 * @packageDocumentation
 */
export {
  type Addressing,
  addressAt,
  checkEndpoint,
  type Endpoint,
  groupFault,
  listenAt,
  refusedAddress,
} from './addressing.ts';
export { ByteReader } from './byte-reader.ts';
export { ByteWriter } from './byte-writer.ts';
export { ConnectionLimits, type InboundSocket } from './connection-limits.ts';
export {
  entriesForm,
  type FieldForms,
  type Form,
  fieldsForm,
  flagForm,
  floatForm,
  type KindForms,
  kindsForm,
  listForm,
  oneOfForm,
  optionalForm,
  readList,
  readWhole,
  textForm,
  tokenForm,
  uintForm,
  wholeForm,
  wholeMax,
} from './form.ts';
export { callGuarded, notifyGuarded } from './guarded-callback.ts';
export { type HostPort, parseHostPort } from './host-port.ts';
export { type GroupKeys, type Keyring, keyIdBytesMax, keyringOf } from './keyring.ts';
export { asFunction, LoadedKeys, loadSecret, renewed } from './loaded-keys.ts';
export { networkOf } from './network-of.ts';
export { RateLimit } from './rate-limit.ts';
export { type Seal, signatureBytes } from './seal.ts';
