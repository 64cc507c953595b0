// A child process of simulation-speed: runs one simulation after the other and reports their
// speeds.
import { inputOf, report } from '@leadership/tools/processes';
import { type SimulationSpeedOptions, simulatedSpeeds } from '../simulation/simulated-speeds.ts';
import type { Simulated } from '../simulation/simulation-speed.ts';

await report<Simulated>({
  kind: 'simulated',
  speeds: simulatedSpeeds(inputOf<SimulationSpeedOptions>()),
});
process.disconnect();
