// Keys spread over the members: each member serves the partitions it leads, and few of them move when members come and go.
import type { LeadershipSource, Term } from '@leadership/core';

/** Serves one customer until the term is ending. */
export type Serve = (customer: string, term: Term) => Promise<void>;

/** Serves the customers whose slots are led here; a slot that is handed over is served elsewhere once `serve` has settled here. */
export function serveCustomers(source: LeadershipSource, customers: readonly string[], serve: Serve): Promise<void> {
  return source.leadEach(async (term) => {
    const mine = customers.filter((customer) => source.role(customer).partition === term.partition);
    await Promise.all(mine.map((customer) => serve(customer, term)));
  });
}

/** The member that serves a customer now, as far as this one has read: where to send a request. */
export function servedBy(source: LeadershipSource, customer: string): string | undefined {
  return source.role(customer).leader()?.member;
}
