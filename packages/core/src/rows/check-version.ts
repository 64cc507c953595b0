// The releases of servers that an adapter works with.
import { misconfigured } from './error-mapper.ts';

/**
 * Checks the release of a server, such as `2.10.23`. Text after its numbers is ignored, and a text
 * without numbers is older than any release.
 * @throws LeadershipError `misconfigured-backend` if it is older than the oldest one that is supported
 */
export function checkVersion(server: string, version: string, oldest: string): void {
  const [now, least] = [version, oldest].map((text) => text.split(/[.-]/).map(Number));
  const differences = least?.map((part, index) => (now?.[index] || 0) - part) ?? [];
  if ((differences.find(Boolean) ?? 0) >= 0) return;
  throw misconfigured(
    `the server is ${server} ${version}, but ${oldest} is the oldest that is supported: upgrade it`,
  );
}
