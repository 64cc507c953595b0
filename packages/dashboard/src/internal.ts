/**
 * The page over any state, for the demo of this repository. Nothing here is promised.
 *
 * @packageDocumentation
 */
export { type PageHandler, type PageParts, pageHandler } from './page-handler.ts';
export type { Control, ShownMember, Snapshot } from './snapshot.ts';
export type { ObservedTerm } from './term-history.ts';
