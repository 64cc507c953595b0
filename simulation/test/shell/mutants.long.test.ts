import { describe } from 'vitest';
import { othersCaught } from '../caught.ts';

describe('the simulation of whole sources', () => othersCaught('shell'));
