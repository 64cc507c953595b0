// A child of simulation-speed: lives through one simulated world after the other, and says how fast.
import { inputOf, say } from '../process/parent.ts';
import { type SimulationSpeedOptions, simulatedSpeeds } from '../whole/simulated-speeds.ts';
import type { Simulated } from '../whole/simulation-speed.ts';

await say<Simulated>({ kind: 'simulated', speeds: simulatedSpeeds(inputOf<SimulationSpeedOptions>()) });
process.disconnect();
