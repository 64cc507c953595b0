/**
 * Messages as bytes, for whoever carries them over something else than TCP: an `OpenTransport` of
 * one's own.
 *
 * @packageDocumentation
 */
export type { Ends } from './transport/codec/scope.ts';
export { decodeMessages, encodeMessages } from './transport/frames/encoding.ts';
export type { Messages, Receiver } from './transport/frames/messages.ts';
