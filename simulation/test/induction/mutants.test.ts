import { describe } from 'vitest';
import { eachRuleCaught } from '../caught.ts';

describe('the simulation of induction', () => eachRuleCaught('induction'));
