import { describe } from 'vitest';
import { simulationOf } from '../../src/kernel/simulation.ts';
import { rows } from '../../src/rows/protocol.ts';
import { eachRuleCaught } from '../caught.ts';

describe('the simulation of rows', () => eachRuleCaught(simulationOf(rows)));
