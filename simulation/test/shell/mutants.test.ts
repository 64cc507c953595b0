import { describe } from 'vitest';
import { simulationOf } from '../../src/kernel/simulation.ts';
import { shell } from '../../src/shell/protocol.ts';
import { eachRuleCaught } from '../caught.ts';

describe('the simulation of whole sources', () => eachRuleCaught(simulationOf(shell)));
