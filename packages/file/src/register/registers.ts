// All registers of a group: one for each partition, and one for its pin.
import type { Layout } from './layout.ts';
import { Register, type RegisterParts } from './register.ts';
import type { Place } from './version.ts';

/** The registers of one ledger, each created on first use. */
export interface Registers extends Iterable<Register> {
  of(partition: number): Register;
}

/**
 * Creates the registers of a group. If one of them was replaced, all are checked again, starting
 * with the pin (R3).
 */
export function registersOf(
  layout: Layout,
  group: Omit<Place, 'partition'>,
  parts: Omit<RegisterParts, 'recheck'>,
): Registers {
  const registers = new Map<number, Register>();
  const again = (): void => {
    for (const register of registers.values()) register.doubt();
  };
  return {
    of(partition) {
      const known = registers.get(partition);
      if (known) return known;
      const register = new Register({ ...group, partition }, layout.register(partition), {
        ...parts,
        recheck: again,
      });
      registers.set(partition, register);
      return register;
    },
    [Symbol.iterator]: () => registers.values(),
  };
}
