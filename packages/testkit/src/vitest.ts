/** Placeholder: the testkit's `vitest` entry lands here. */
export {};
