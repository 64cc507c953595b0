import { describe } from 'vitest';
import { induction } from '../../src/induction/protocol.ts';
import { simulationOf } from '../../src/kernel/simulation.ts';
import { eachRuleCaught } from '../caught.ts';

describe('the simulation of induction', () => eachRuleCaught(simulationOf(induction)));
