// The protocols that `npm run simulate` can run, by name.
import { induction } from '../induction/protocol.ts';
import { type Simulation, simulationOf } from '../kernel/simulation.ts';
import { nerioDrift, nerioSkew } from '../nerio/protocol.ts';
import { rows } from '../rows/protocol.ts';
import { scuttlebutt } from '../scuttlebutt/protocol.ts';
import { shell } from '../shell/protocol.ts';

/** The simulations of all protocols. The first is the default. */
export const simulations: readonly [Simulation, ...Simulation[]] = [
  simulationOf(rows),
  simulationOf(induction),
  simulationOf(nerioDrift),
  simulationOf(nerioSkew),
  simulationOf(scuttlebutt),
  simulationOf(shell),
];
