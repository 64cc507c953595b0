// A child process of simulation-speed: runs one simulation after the other and reports their
// speeds.
import { inputOf, report } from '@leadership/tools/processes';
import { type SimulationSpeedOptions, simulatedSpeeds } from '../cost/simulated-speeds.ts';
import type { Simulated } from '../cost/simulation-speed.ts';

await report<Simulated>({
  kind: 'simulated',
  speeds: simulatedSpeeds(inputOf<SimulationSpeedOptions>()),
});
process.disconnect();
