/**
 * Tests of requests that the rows of every server pass, beside the contract suite of the testkit.
 *
 * @packageDocumentation
 */

export {
  type JoinBehind,
  type JoinWithPassword,
  keepsTermThenHandsOver,
  networkTests,
  refusedUserTest,
} from './network-tests.ts';
export { exchanged, newGroup } from './new-group.ts';
export { changed, listed, type OpenGroup, type OpenRows, prepared } from './open-rows.ts';
export { type Listening, type OpenBehind, silenceTests } from './silence-tests.ts';
export { writerTests } from './writer-tests.ts';
