// The parts of the command that scripts use: exit codes alone, lines by a template, and the environment.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { openLeadership } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { expect, it } from 'vitest';
import { startCommand } from './support/command.ts';
import { temporaryGroup } from './support/group.ts';

/** T. Long enough for a member on a machine that tests keep busy. Milliseconds. */
const thresholdMs = 5000;

it('status --quiet prints nothing, and exits with 0, 1 and 3 as without it', async () => {
  await using group = await temporaryGroup(thresholdMs);
  const ended = async (): Promise<unknown> => {
    await using command = startCommand(['status', group.url, '--quiet', '--wait', '0']);
    return [await command.ended, command.stdout(), command.stderr()];
  };
  expect(await ended()).toEqual([3, '', '']);
  const member = await openLeadership(`${group.url}&member=alice`);
  await eventually('it leads', () => member.held().size === 1);
  await using led = startCommand(['status', group.url, '-q', '--wait', '60']);
  expect([await led.ended, led.stdout(), led.stderr()]).toEqual([0, '', '']);
  await member.close();
  expect(await ended()).toEqual([1, '', '']);
});

it('status --quiet still says on standard error why it failed', async () => {
  await using command = startCommand(['status', 'nosuch:x', '--quiet']);
  expect(await command.ended).toBe(2);
  expect(command.stdout()).toBe('');
  expect(command.stderr()).toContain('no backend for nosuch:');
});

it('status --format prints a line for each partition, with empty fields without a leader', async () => {
  await using group = await temporaryGroup(thresholdMs);
  const url = group.url.replace('partitions=1', 'partitions=2');
  const metadata = { url: 'http://10.0.0.7:8080', evil: 'a\tb\nc' };
  const member = await openLeadership(`${url}&member=alice`, { metadata });
  await eventually('it leads', () => member.held().size === 2);
  const token = String(member.held().get(1)?.token);
  const printed = async (format: string, code: number): Promise<string> => {
    await using command = startCommand(['status', url, '--format', format, '--wait', '0']);
    expect(await command.ended, command.stderr()).toBe(code);
    return command.stdout();
  };
  const wide = '{group}/{partition}\\t{leader}\\t{token}\\t{metadata.url}';
  expect((await printed(wide, 0)).split('\n')[1]).toBe(
    `demo/1\talice\t${token}\thttp://10.0.0.7:8080`,
  );
  expect(await printed('{since}', 0)).toMatch(/^(\d{4}-\d\d-\d\dT[\d:.]+Z\n){2}$/);
  expect(await printed('{"it":"{leader}"} {metadata.none} {metadata.evil}', 0)).toBe(
    '{"it":"alice"}  a\\u{9}b\\u{a}c\n'.repeat(2),
  );
  await member.close();
  expect(await printed('<{leader}{token}{since}{metadata.url}>', 1)).toBe('<>\n<>\n');
});

it('a script reads the leader of a role with --format, and notices that there is none', async () => {
  await using group = await temporaryGroup(thresholdMs);
  await using _ = await openLeadership(`${group.url}&member=alice`);
  const command = new URL('../lib/main.js', import.meta.url).pathname;
  const script = `leader=$("$0" "$1" status "$2" --role job --wait 60 --format '{leader}') && echo "it is $leader"`;
  const args = ['-c', script, process.execPath, command, group.url];
  expect((await promisify(execFile)('/bin/sh', args)).stdout).toBe('it is alice\n');
});

it('status --format says on standard error that no member has ever opened the group', async () => {
  await using group = await temporaryGroup(thresholdMs);
  await using command = startCommand(['status', group.url, '--format', '{leader}', '--wait', '0']);
  expect(await command.ended).toBe(3);
  expect(command.stdout()).toBe('');
  expect(command.stderr()).toContain('no member has ever opened group "demo"');
});

it.each([
  [['--format', '{member}'], '{member} is no field; the fields are {leader}, {token}'],
  [['--format', '{leader.url}'], '{leader.url} is no field'],
  [['--format', '{metadata}'], '{metadata} is no field'],
  [['--format', '{leader}', '--json'], "'--format <template>' cannot be used with option '--json'"],
  [['--quiet', '--json'], "'-q, --quiet' cannot be used with option '--json'"],
  [['--quiet', '--format', '{leader}'], "'-q, --quiet' cannot be used with option '--format"],
])('status exits with 2 for %j', async (args, message) => {
  await using command = startCommand(['status', 'file:x?group=g', ...args]);
  expect(await command.ended).toBe(2);
  expect(command.stderr()).toContain(message);
});

it('env prints each variable, what it is now, and no secret', async () => {
  const env = {
    LEADERSHIP_URL: 'redis://app:hunter2@cache.example/0?group=mail',
    LEADERSHIP_OPTIONS: '{"connection":"hunter2"}',
    LEADERSHIP_DEBUG: '',
  };
  await using table = startCommand(['env'], env);
  expect(await table.ended).toBe(0);
  expect(table.stdout()).toMatch(/^VARIABLE +VALUE +SET BY +MEANING$/m);
  expect(table.stdout()).toMatch(
    /^LEADERSHIP_URL +redis:\/\/\*\*\*@cache\.example\/0\?group=mail +user /m,
  );
  expect(table.stdout()).toMatch(/^LEADERSHIP_OPTIONS +connection=\*\*\* +user /m);
  expect(table.stdout()).toMatch(/^LEADERSHIP_DEBUG +- +user /m);
  await using json = startCommand(['env', '--json'], env);
  expect(await json.ended).toBe(0);
  expect(JSON.parse(json.stdout())).toContainEqual({
    name: 'LEADERSHIP_DEBUG',
    value: null,
    setBy: 'user',
    meaning: expect.any(String),
  });
  expect(table.stdout() + json.stdout()).not.toContain('hunter2');
});

it('env below run prints the role and the token of the term', async () => {
  await using group = await temporaryGroup(thresholdMs);
  const command = new URL('../lib/main.js', import.meta.url).pathname;
  const own = ['--', process.execPath, command, 'env', '--json'];
  await using run = startCommand(['run', group.url, '--role', 'job', ...own]);
  expect(await run.ended, run.stderr()).toBe(0);
  const [, token = ''] = /in term (\d+)/.exec(run.stderr()) ?? [];
  const found = JSON.parse(run.stdout()) as { name: string; value: string | null }[];
  const values = new Map(found.map(({ name, value }) => [name, value]));
  expect(values.get('LEADERSHIP_ROLE')).toBe('job');
  expect(values.get('LEADERSHIP_TOKEN')).toBe(token);
});
