import { hostname } from 'node:os';

/**
 * Returns the default name of a member: host name and process id, so that people can find the
 * process.
 */
export function ownName(): string {
  return `${hostname()}-${process.pid}`;
}
