// Spreads keys over the members. Each member serves the partitions that it leads. When members join
// or leave, few partitions move.
import type { LeadershipSource, Term } from '@leadership/core';

/** Serves one customer until the term is ending. */
export type Serve = (customer: string, term: Term) => Promise<void>;

/**
 * Serves the customers of the partitions that this member leads. Another member serves a partition
 * only after `serve` has settled here.
 */
export function serveCustomers(
  source: LeadershipSource,
  customers: readonly string[],
  serve: Serve,
): Promise<void> {
  return source.leadEach(async (term) => {
    const mine = customers.filter((customer) => source.role(customer).partition === term.partition);
    await Promise.all(mine.map((customer) => serve(customer, term)));
  });
}

/**
 * Returns the member that serves a customer, as far as this member knows, or `undefined`. Send the
 * customer's requests there.
 */
export function servedBy(source: LeadershipSource, customer: string): string | undefined {
  return source.role(customer).leader()?.member;
}
