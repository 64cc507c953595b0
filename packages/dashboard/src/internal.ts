/**
 * The page over any state, for the demo of this repository. Nothing here is promised.
 *
 * @packageDocumentation
 */
export { type PageHandler, type PageParts, pageHandler } from './page-handler.ts';
export { type Control, type ShownMember, type Snapshot, snapshot } from './snapshot.ts';
export { type ObservedTerm, termsMax } from './term-history.ts';
