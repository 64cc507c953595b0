import type { OptionsFor } from '../contract/backend-options.ts';
import type { SourceOptions } from '../contract/options.ts';
import type { LeadOptions, Work } from '../contract/role.ts';
import { openLeadership } from './open-leadership.ts';

/** The options of {@link lead} in addition to those of the source. */
export interface LeadByUrlOptions extends Pick<LeadOptions, 'onThrow' | 'overlap'> {
  /** The role to lead. Default `leader`. */
  readonly role?: string | number;
}

/**
 * Runs `work` on one member at a time: opens a source, leads a role of it, and closes it in order on
 * SIGTERM and SIGINT, or when the option `signal` aborts. Resolves once the source is closed. It is
 * `openLeadership`, `source.role(…).lead(work)` and `source.close()` in one call.
 *
 * @param url - as in `openLeadership`
 * @param work - runs once per term; observes `term.signal`, writes `term.token`
 * @param options - those of `openLeadership`, where `signals` is `true` by default; the role; and
 * `onThrow` and `overlap` of `Role.lead`
 * @throws LeadershipError as `openLeadership` and `Role.lead` do
 */
export async function lead<const Url extends string | URL>(
  url: Url,
  work: Work,
  options?: OptionsFor<Url> & LeadByUrlOptions,
): Promise<void>;
export async function lead(
  url: string | URL,
  work: Work,
  options: SourceOptions & LeadByUrlOptions = {},
): Promise<void> {
  const { role = 'leader', onThrow, overlap, ...sourceOptions } = options;
  const source = await openLeadership(url, { signals: true, ...sourceOptions });
  const how = {
    ...(onThrow !== undefined && { onThrow }),
    ...(overlap !== undefined && { overlap }),
  };
  try {
    await source.role(role).lead(work, how);
  } finally {
    await source.close();
  }
}
