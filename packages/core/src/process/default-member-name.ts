import { hostname } from 'node:os';

/**
 * Returns the default name of a member: host name and process id, so that operators find the
 * process in logs. Names need not be unique: each start of a member has its own incarnation.
 */
export function defaultMemberName(): string {
  return `${hostname()}-${process.pid}`;
}
