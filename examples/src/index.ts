/** Placeholder: the examples land here. */
export {};
