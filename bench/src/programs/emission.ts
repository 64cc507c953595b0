// A child process of emission: runs the rounds and reports their costs.

import { inputOf, report } from '@leadership/tools/processes';
import type { Times } from '../measure/rounds.ts';
import type { Emitted } from '../micro/emission.ts';
import { emissionRounds } from '../micro/emission-rounds.ts';

await report<Emitted>({ kind: 'emitted', pairs: await emissionRounds(inputOf<Times>()) });
process.disconnect();
