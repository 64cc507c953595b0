/** Placeholder: the directory ledger lands here. */
export {};
