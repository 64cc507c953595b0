import type { LeadershipErrorCode } from '../contract/leadership-error.ts';
import type { MemberState } from './state.ts';
import type { Topic } from './types.ts';

/** Reports a trouble of that topic, unless it was reported in the same words. */
export function trouble(
  state: MemberState,
  topic: Topic,
  code: LeadershipErrorCode,
  message: string,
): void {
  if (state.troubles.get(topic) === message) return;
  state.troubles.set(topic, message);
  state.outputs.push({ kind: 'trouble', topic, code, message });
}

/** Reports the end of the trouble of that topic, if there is one. */
export function mended(state: MemberState, topic: Topic): void {
  if (state.troubles.delete(topic)) state.outputs.push({ kind: 'mended', topic });
}
