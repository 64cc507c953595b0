import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { openLeadership } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { expect, it } from 'vitest';
import { type Command, startCommand } from './support/command.ts';
import { temporaryGroup } from './support/group.ts';

/** T. Long enough for a member on a machine that tests keep busy. Milliseconds. */
const thresholdMs = 5000;

/** Sends a request. Resolves with the beginning of the answer, which may have no end. */
function rawRequest(port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    socket.setEncoding('utf8').on('data', (part: string) => {
      answer += part;
      if (/\r\n\r\n./.test(answer)) socket.destroy();
    });
    socket.on('error', reject).on('close', () => resolve(answer));
  });
}

/** Returns the first state that the page at this address receives. */
async function pageState(address: string): Promise<string> {
  const { port } = new URL(address);
  return rawRequest(Number(port), ['GET /?events HTTP/1.1', 'host: localhost']).catch(String);
}

it('status prints the leader and exits with 0, and with 1 once there is none', async () => {
  await using group = await temporaryGroup(thresholdMs);
  const member = await openLeadership(`${group.url}&member=alice`);
  await expect.poll(() => member.held().size).toBe(1);
  const token = String(member.held().get(0)?.token);

  await using table = startCommand(['status', group.url]);
  expect(await table.ended).toBe(0);
  expect(table.stdout()).toContain('1 of 1 partition has a leader');
  expect(table.stdout()).toMatch(new RegExp(`^0 +alice +${token} +\\d{4}-`, 'm'));

  await using json = startCommand(['status', group.url, '--json', '--role', 'invoices']);
  expect(await json.ended).toBe(0);
  expect(JSON.parse(json.stdout())).toMatchObject({
    group: 'demo',
    partitions: 1,
    leaders: [{ partition: 0, roles: ['invoices'], leader: { member: 'alice', token } }],
    health: { ok: true },
  });

  await member.close();
  await using none = startCommand(['status', group.url, '--wait', '0']);
  expect(await none.ended).toBe(1);
  expect(none.stdout()).toContain('0 of 1 partition has a leader · no trouble yet\n');
  expect(none.stdout()).toMatch(/^0 +no leader /m);
});

it('status exits with 1 in its first answer after all members have crashed, although their rows are left', async () => {
  await using group = await temporaryGroup(2000);
  const start = (): Command =>
    startCommand(['run', group.url, '--role', 'job', '--', 'sleep', '600']);
  await using one = start();
  await using other = start();
  await using led = startCommand(['status', group.url, '--wait', '60']);
  expect(await led.ended, led.stderr()).toBe(0);
  await eventually('both campaign', () =>
    [one, other].every(({ stderr }) => stderr().includes('campaigns for role job')),
  );
  for (const { process } of [one, other]) process.kill('SIGKILL');
  await Promise.all([one.ended, other.ended]);
  await pause(2000);
  const exits = ['--quiet', '--json'].map(async (option) => {
    await using status = startCommand(['status', group.url, option, '--wait', '0']);
    return [await status.ended, status.stdout() && JSON.parse(status.stdout())];
  });
  const report = {
    partitions: 1,
    leaders: [{ partition: 0, roles: [], leader: null }],
    members: [],
  };
  expect(await Promise.all(exits)).toEqual([
    [1, ''],
    [1, expect.objectContaining(report)],
  ]);
});

it('status says that no member has ever opened the group, exits with 3, and creates nothing', async () => {
  await using group = await temporaryGroup(thresholdMs);
  await using table = startCommand(['status', group.url, '--wait', '0']);
  expect(await table.ended, table.stderr()).toBe(3);
  expect(table.stdout()).toMatch(/^group demo: no member has ever opened it\n\ntrouble \(unknown-/);
  await using json = startCommand(['status', group.url, '--wait', '0', '--json']);
  expect(await json.ended).toBe(3);
  expect(JSON.parse(json.stdout())).toMatchObject({
    group: 'demo',
    partitions: null,
    leaders: [],
    health: { ok: false, troubles: [{ code: 'unknown-group' }] },
  });
  await using asked = startCommand(['resign', group.url, '--role', 'invoices']);
  expect(await asked.ended).toBe(3);
  expect(asked.stderr()).toContain('no member has ever opened group demo');
  expect(await readdir(group.directory)).toEqual([]);
});

it('status waits for a leader that is missing', async () => {
  await using group = await temporaryGroup(thresholdMs);
  await using waiting = startCommand(['status', group.url, '--wait', '60']);
  await using member = await openLeadership(`${group.url}&member=late`);
  expect(await waiting.ended).toBe(0);
  expect(waiting.stdout()).toContain('late');
  await expect.poll(() => member.held().size).toBe(1);
});

it.each([
  ['without a URL', [], 'LEADERSHIP_URL is not set'],
  ['with an unknown scheme', ['nosuch:x'], 'no backend for nosuch:'],
  ['on memory, which other processes do not see', ['memory:x'], 'lives in one process'],
  ['with an option without a value', ['file:x?group=g', '--option', 'member'], 'NAME=VALUE'],
  ['with a wrong number', ['file:x?group=g', '--wait', 'long'], 'number of seconds'],
])('status exits with 2 %s', async (_, args, message) => {
  await using command = startCommand(['status', ...args], { LEADERSHIP_URL: '' });
  expect(await command.ended).toBe(2);
  expect(command.stderr()).toContain(message);
  expect(command.stdout()).toBe('');
});

it('the URL of a command is that of LEADERSHIP_URL by default', async () => {
  await using group = await temporaryGroup(thresholdMs);
  await using member = await openLeadership(group.url);
  await expect.poll(() => member.held().size).toBe(1);
  await using command = startCommand(['status'], { LEADERSHIP_URL: group.url });
  expect(await command.ended).toBe(0);
  await using other = startCommand(['status', 'nosuch:x'], { LEADERSHIP_URL: group.url });
  expect(await other.ended).toBe(2);
});

it.each(['consul:', 'mongodb:'])('%s names the page about backends', async (url) => {
  await using command = startCommand(['status', `${url}//x`]);
  expect(await command.ended).toBe(2);
  expect(command.stderr()).toContain('docs/how-to/write-an-adapter.md');
});

it('a failure is one line, and LEADERSHIP_DEBUG adds the stack', async () => {
  const args = ['status', 'file:x?group=g'];
  const env = { LEADERSHIP_OPTIONS: 'no JSON' };
  await using plain = startCommand(args, env);
  expect(await plain.ended).toBe(2);
  expect(plain.stderr()).toMatch(/^leadership: .*\n$/);
  await using debug = startCommand(args, { ...env, LEADERSHIP_DEBUG: '1' });
  expect(await debug.ended).toBe(2);
  expect(debug.stderr()).toMatch(/\n {4}at /);
});

it('status exits with 2 if the group has other partitions, and names the remedy', async () => {
  await using group = await temporaryGroup(thresholdMs);
  await using member = await openLeadership(group.url);
  await expect.poll(() => member.held().size).toBe(1);
  const url = group.url.replace('partitions=1', 'partitions=2');
  await using command = startCommand(['status', url]);
  expect(await command.ended).toBe(2);
  expect(command.stderr()).toContain('partitions-differ');
  expect(command.stderr()).toContain('--option partitions=NUMBER');
});

it('status takes over the partitions and T of the group that its URL does not name', async () => {
  await using group = await temporaryGroup(2000);
  const named = group.url.replace('partitions=1', 'partitions=4');
  await using member = await openLeadership(named);
  await expect.poll(() => member.held().size).toBe(4);
  const url = named.replace(/&.*/, '');
  await using command = startCommand(['status', url]);
  expect(await command.ended, command.stderr()).toBe(0);
  expect(command.stdout()).toContain('4 of 4 partitions have a leader');
  await using other = startCommand(['status', url, '--option', 'partitions=3']);
  expect(await other.ended).toBe(2);
  expect(other.stderr()).toContain('partitions-differ');
});

it('status exits with 2 if the backend does not answer in time', async () => {
  await using command = startCommand(
    ['status', 'kafka://127.0.0.1:1/demo?topic=t', '--timeout', '1'],
    {},
  );
  expect(await command.ended).toBe(2);
  expect(command.stderr()).toContain('was not ready within 1 s');
});

it('status takes options from the environment, and never prints them', async () => {
  await using command = startCommand(['status', 'file:x?group=g'], {
    LEADERSHIP_OPTIONS: '{"thresholdMs":"secret",',
  });
  expect(await command.ended).toBe(2);
  expect(command.stderr()).toContain('LEADERSHIP_OPTIONS must be a JSON object');
  expect(command.stderr()).not.toContain('secret');
});

it('watch prints a line for each change, and ends by a signal', async () => {
  await using group = await temporaryGroup(thresholdMs);
  const member = await openLeadership(`${group.url}&member=alice`);
  await expect.poll(() => member.held().size).toBe(1);
  await using command = startCommand(['watch', group.url]);
  await command.printed('leader partition=0 leader=alice token=');
  await member.close();
  await command.printed('leader partition=0 leader=none');
  command.process.kill('SIGINT');
  expect(await command.ended).toBe(130);
  expect(command.stderr()).toBe('');
});

it('watch prints JSON lines on request, with tokens as strings', async () => {
  await using group = await temporaryGroup(thresholdMs);
  const member = await openLeadership(`${group.url}&member=alice`);
  await expect.poll(() => member.held().size).toBe(1);
  const token = String(member.held().get(0)?.token);
  await using command = startCommand(['watch', group.url, '--json']);
  await command.printed('"ready"');
  await member.close();
  await command.printed('"ended":"');
  const events = command.stdout().trim().split('\n');
  expect(events.map((event) => JSON.parse(event))).toMatchObject([
    { kind: 'leader', partition: 0, leader: 'alice', token },
    { kind: 'ready' },
    { kind: 'leader', partition: 0, ended: 'handed-over' },
  ]);
  command.process.kill('SIGTERM');
  expect(await command.ended).toBe(143);
});

it('watch of a group that no member has opened prints that, no partition, and then its leader', async () => {
  await using group = await temporaryGroup(thresholdMs);
  await using command = startCommand(['watch', group.url]);
  await command.printed(' ready');
  expect(command.stdout()).toMatch(/^\S+ trouble code=unknown-group "no member has ever opened/);
  expect(command.stdout()).not.toContain('partition=');
  await using _ = await openLeadership(`${group.url}&member=alice`);
  await command.printed('mended code=unknown-group');
  await command.printed('leader partition=0 leader=alice token=');
  command.process.kill('SIGINT');
  expect(await command.ended).toBe(130);
});

it('watch takes over the partitions of a group that is opened later, also at the address of its page', async () => {
  await using group = await temporaryGroup(2000);
  const url = group.url.replace(/&.*/, '');
  await using command = startCommand(['watch', url]);
  await using web = startCommand(['watch', url, '--web']);
  await command.printed('trouble code=unknown-group');
  await web.printed('/\n');
  const address = web.stdout().trim();
  await using member = await openLeadership(
    group.url.replace('partitions=1', 'partitions=9&member=alice'),
  );
  await expect.poll(() => member.held().size).toBe(9);
  await command.printed('leader partition=8 leader=alice token=');
  await expect.poll(() => pageState(address)).toContain('"partitions":9');
  expect(web.stdout().trim()).toBe(address);
  for (const one of [command, web]) {
    one.process.kill('SIGINT');
    expect(await one.ended).toBe(130);
  }
});

it('watch ends with its reader, as in watch | head -1', async () => {
  await using group = await temporaryGroup(thresholdMs);
  await using command = startCommand(['watch', group.url]);
  await command.printed('trouble code=unknown-group');
  command.process.stdout?.destroy();
  expect(await command.ended).toBe(141);
  expect(command.stderr()).toBe('');
});

it('watch --web serves the page, and ends by a signal', async () => {
  await using group = await temporaryGroup(thresholdMs);
  await using command = startCommand(['watch', group.url, '--web']);
  await command.printed('\n');
  const response = await fetch(command.stdout().trim());
  expect(await response.text()).toContain('<h1>demo</h1>');
  const { port } = new URL(command.stdout().trim());
  for (const [host, status] of [
    [`localhost:${port}`, 200],
    // A name that another site may have bound to this address.
    [`rebound.example:${port}`, 421],
  ] as const) {
    for (const path of ['/', '/?events']) {
      const answer = await rawRequest(Number(port), [
        ...[`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close'],
      ]);
      expect(answer, `${path} of ${host}`).toContain(`HTTP/1.1 ${status} `);
      expect(answer.includes('demo'), `${path} of ${host}`).toBe(status === 200);
    }
  }
  await using second = startCommand(['watch', group.url, '--web', port]);
  expect(await second.ended).toBe(2);
  expect(second.stderr()).toContain(`served at port ${port} of this host`);
  expect(second.stderr()).toContain('choose another one by --web PORT');
  command.process.kill('SIGTERM');
  expect(await command.ended).toBe(143);
});
