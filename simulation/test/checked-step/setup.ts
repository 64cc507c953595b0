// Fails each test in which a step contradicts the text of the rules.
import { afterEach, expect } from 'vitest';
import { refuted } from './refuted.ts';

afterEach(() => {
  expect(refuted.splice(0), 'steps that the rules do not permit').toEqual([]);
});
