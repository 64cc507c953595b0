import { describe } from 'vitest';
import { simulationOf } from '../../src/kernel/simulation.ts';
import { scuttlebutt } from '../../src/scuttlebutt/protocol.ts';
import { othersCaught } from '../caught.ts';

describe('the simulation of scuttlebutt', () => othersCaught(simulationOf(scuttlebutt)));
