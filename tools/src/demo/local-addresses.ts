import { freePorts } from '@leadership/testkit/faults';
import { memberNames } from './member-names.ts';

/** Returns a free address of this host for each member of the demo. */
export async function localAddresses(): Promise<Readonly<Record<string, string>>> {
  const ports = await freePorts(memberNames.length);
  return Object.fromEntries(
    memberNames.map((member, index) => [member, `127.0.0.1:${ports[index]}`]),
  );
}
