import { freePorts } from '@leadership/testkit/faults';

/** So many members, by name, each with an address on this host that nobody listens at. */
export async function placesFor(count: number): Promise<Readonly<Record<string, string>>> {
  const ports = await freePorts(count);
  return Object.fromEntries(ports.map((port, index) => [`m${index + 1}`, `127.0.0.1:${port}`]));
}
