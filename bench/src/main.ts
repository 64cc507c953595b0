/** Placeholder: the benchmarks land here. */
export {};
