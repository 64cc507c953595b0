// A child process of emission: runs the rounds and reports their costs.

import { inputOf, report } from '@leadership/tools/processes';
import type { Emitted } from '../cost/emission.ts';
import { emissionRounds } from '../cost/emission-rounds.ts';
import type { Times } from '../measure/rounds.ts';

await report<Emitted>({ kind: 'emitted', pairs: await emissionRounds(inputOf<Times>()) });
process.disconnect();
