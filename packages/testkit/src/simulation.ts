/** Placeholder: the testkit's `simulation` entry lands here. */
export {};
