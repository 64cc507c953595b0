import { describe } from 'vitest';
import { eachRuleCaught } from '../caught.ts';

describe('the simulation of whole sources', () => eachRuleCaught('shell'));
