/** Placeholder: the testkit's `index` entry lands here. */
export {};
