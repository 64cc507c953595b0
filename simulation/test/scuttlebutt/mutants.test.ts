import { describe } from 'vitest';
import { eachRuleCaught } from '../caught.ts';

describe('the simulation of scuttlebutt', () => eachRuleCaught('scuttlebutt'));
