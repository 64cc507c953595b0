import { describe } from 'vitest';
import { othersCaught } from '../caught.ts';

describe('the simulation of scuttlebutt', () => othersCaught('scuttlebutt'));
