import { describe } from 'vitest';
import { othersCaught } from '../caught.ts';

describe('the simulation of sessions over rows', () => othersCaught('rows'));
