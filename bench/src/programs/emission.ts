// A child of emission: measures its rounds, and says what each took.
import type { Times } from '../measure/rounds.ts';
import type { Emitted } from '../micro/emission.ts';
import { emissionRounds } from '../micro/emission-rounds.ts';
import { inputOf, say } from '../process/parent.ts';

await say<Emitted>({ kind: 'emitted', pairs: await emissionRounds(inputOf<Times>()) });
process.disconnect();
