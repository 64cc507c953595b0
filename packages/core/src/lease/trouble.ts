import type { LeadershipErrorCode } from '../contract/leadership-error.ts';
import type { MemberState } from './state.ts';
import type { Topic } from './types.ts';

/** The content of a trouble. The cause of a pin that differs names the pinned values. */
interface Reported {
  readonly code: LeadershipErrorCode;
  readonly message: string;
  readonly cause?: unknown;
}

/** Reports a trouble of that topic, unless it was reported in the same words. */
export function trouble(
  state: MemberState,
  topic: Topic,
  { code, message, cause }: Reported,
): void {
  if (state.troubles.get(topic) === message) return;
  state.troubles.set(topic, message);
  state.outputs.push({ kind: 'trouble', topic, code, message, cause });
}

/** Reports the end of the trouble of that topic, if there is one. */
export function mended(state: MemberState, topic: Topic): void {
  if (state.troubles.delete(topic)) state.outputs.push({ kind: 'mended', topic });
}
