// A child process of simulation-speed: runs one simulation after the other and reports their
// speeds.
import { inputOf, say } from '../process/parent.ts';
import { type SimulationSpeedOptions, simulatedSpeeds } from '../whole/simulated-speeds.ts';
import type { Simulated } from '../whole/simulation-speed.ts';

await say<Simulated>({
  kind: 'simulated',
  speeds: simulatedSpeeds(inputOf<SimulationSpeedOptions>()),
});
process.disconnect();
