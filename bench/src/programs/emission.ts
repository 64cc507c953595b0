// A child process of emission: runs the rounds and reports their costs.
import type { Times } from '../measure/rounds.ts';
import type { Emitted } from '../micro/emission.ts';
import { emissionRounds } from '../micro/emission-rounds.ts';
import { inputOf, say } from '../process/parent.ts';

await say<Emitted>({ kind: 'emitted', pairs: await emissionRounds(inputOf<Times>()) });
process.disconnect();
