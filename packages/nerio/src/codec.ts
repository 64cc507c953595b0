/**
 * Messages as bytes, for an `OpenTransport` that carries them over another protocol than TCP.
 *
 * @packageDocumentation
 */
export type { Ends } from './transport/codec/values.ts';
export { decodeMessages, encodeMessages } from './transport/frames/encoding.ts';
export type { Messages, Receiver } from './transport/frames/messages.ts';
