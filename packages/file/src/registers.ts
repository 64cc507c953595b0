import type { Layout } from './layout.ts';
import { Register, type RegisterParts } from './register.ts';
import type { Place } from './version.ts';

/** The registers of one ledger, each made when it is first asked for. */
export interface Registers extends Iterable<Register> {
  of(partition: number): Register;
}

export function registersOf(layout: Layout, group: Omit<Place, 'partition'>, parts: RegisterParts): Registers {
  const registers = new Map<number, Register>();
  return {
    of(partition) {
      const known = registers.get(partition);
      if (known) return known;
      const register = new Register({ ...group, partition }, layout.register(partition), parts);
      registers.set(partition, register);
      return register;
    },
    [Symbol.iterator]: () => registers.values(),
  };
}
