import { freePorts } from '@leadership/testkit/faults';

/** Returns `count` member names, each with a free local address. */
export async function freeAddresses(count: number): Promise<Readonly<Record<string, string>>> {
  const ports = await freePorts(count);
  return Object.fromEntries(ports.map((port, index) => [`m${index + 1}`, `127.0.0.1:${port}`]));
}
