import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Makes the Kinesis client unresolvable, as if it were not installed. */
const hook = `
export async function resolve(specifier, context, next) {
  if (!specifier.startsWith('@aws-sdk/client-kinesis')) return next(specifier, context);
  throw Object.assign(new Error("Cannot find package '@aws-sdk/client-kinesis'"), { code: 'ERR_MODULE_NOT_FOUND' });
}`;
const program = `
import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(process.env.HOOK));
const { kinesisLeadership } = await import('@leadership/kinesis');
const dynamodb = { endpoint: 'http://127.0.0.1:1', region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
const place = { table: 'leases', group: 'billing', dynamodb };
const alone = kinesisLeadership({ ...place, partitions: 1 });
await new Promise((resolve) => setTimeout(resolve, 300));
const said = alone.health().troubles.map(({ message }) => message).join();
await alone.close();
console.log(JSON.stringify({ said }));
process.exit(0);
`;

describe('without @aws-sdk/client-kinesis', () => {
  it('a member with only a table works', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', program],
      {
        cwd: import.meta.dirname,
        env: { ...process.env, HOOK: hook },
      },
    );
    const { said } = JSON.parse(stdout) as { readonly said: string };
    expect(said).toContain('table "leases" in eu-west-1: dynamodb:DescribeTable failed');
  });
});
