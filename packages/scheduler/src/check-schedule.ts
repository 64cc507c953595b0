// Checks what schedules and single ticks have in common, for programs without types.
import { check } from '@leadership/core/adapter';

/**
 * Checks the job and the options of a schedule.
 *
 * @throws LeadershipError `invalid-options`
 */
export function checkSchedule(
  job: unknown,
  options: { readonly name: string; readonly graceMs?: number },
): void {
  check(
    typeof options === 'object' && options !== null,
    `schedule: the options must be an object such as { name: 'report' }, not ${options}`,
  );
  const { name, graceMs } = options;
  check(typeof name === 'string' && name !== '', 'schedule: name must be a non-empty text');
  check(typeof job === 'function', `schedule "${name}": the job must be a function, not ${job}`);
  check(
    graceMs === undefined || (Number.isFinite(graceMs) && graceMs >= 0),
    `schedule "${name}": graceMs must be a number of milliseconds that is not negative, not ${graceMs}`,
  );
}
