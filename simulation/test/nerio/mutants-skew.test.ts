import { describe } from 'vitest';
import { simulationOf } from '../../src/kernel/simulation.ts';
import { nerioSkew } from '../../src/nerio/protocol.ts';
import { eachRuleCaught } from '../caught.ts';

describe('the simulation of nerio-skew', () => eachRuleCaught(simulationOf(nerioSkew)));
