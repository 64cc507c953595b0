import { memoryGroup } from '@leadership/core/memory';
import { expect, it } from 'vitest';
import { serveCustomers, servedBy } from '../src/sharding.ts';

const customers = Array.from({ length: 24 }, (_, n) => `customer-${n}`);

it('serves every customer on exactly one member, and moves few of them when a member joins', async () => {
  const group = memoryGroup(crypto.randomUUID());
  const serving = new Map<string, string[]>();
  const join = (member: string) => {
    const source = group.join({ member, partitions: 8, thresholdMs: 500 });
    const over = serveCustomers(source, customers, async (customer, { signal }) => {
      serving.set(customer, [...(serving.get(customer) ?? []), member]);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      serving.set(
        customer,
        (serving.get(customer) ?? []).filter((other) => other !== member),
      );
    });
    return { source, over };
  };
  const servers = () => customers.map((customer) => serving.get(customer)?.join('+'));

  const a = join('a');
  await expect.poll(servers).toEqual(customers.map(() => 'a'));
  const b = join('b');
  await expect.poll(() => b.source.held().size).toBe(4);
  const holders = () =>
    customers.map((customer) =>
      b.source.held().has(b.source.role(customer).partition) ? 'b' : 'a',
    );
  // A partition that moves is briefly not served.
  const differing = (expected: () => readonly unknown[]) => () =>
    expected().flatMap((member, n) =>
      member === servers()[n] ? [] : [`${customers[n]}: ${member}, served by ${servers()[n]}`],
    );
  await expect.poll(differing(holders)).toEqual([]);
  await expect
    .poll(differing(() => customers.map((customer) => servedBy(a.source, customer))))
    .toEqual([]);

  await b.source.close();
  await b.over;
  await expect.poll(servers).toEqual(customers.map(() => 'a'));
  await a.source.close();
  await a.over;
  expect(servers()).toEqual(customers.map(() => ''));
});
