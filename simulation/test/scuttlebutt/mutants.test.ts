import { describe } from 'vitest';
import { simulationOf } from '../../src/kernel/simulation.ts';
import { scuttlebutt } from '../../src/scuttlebutt/protocol.ts';
import { eachRuleCaught } from '../caught.ts';

describe('the simulation of scuttlebutt', () => eachRuleCaught(simulationOf(scuttlebutt)));
