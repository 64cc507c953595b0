import { describe } from 'vitest';
import { eachRuleCaught } from '../caught.ts';

describe('the simulation of nerio-drift', () => eachRuleCaught('nerio-drift'));
