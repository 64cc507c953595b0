/** Placeholder: the testkit's `faults` entry lands here. */
export {};
