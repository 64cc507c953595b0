import { hostname } from 'node:os';

/** What a member is called when nobody named it: host name and process id, for people to find it by. */
export function ownName(): string {
  return `${hostname()}-${process.pid}`;
}
