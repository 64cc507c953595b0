import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openLeadership } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { type Command, startCommand } from './support/command.ts';
import { type Group, temporaryGroup } from './support/group.ts';
import { journalIn } from './support/journal.ts';

/** T. A fail-over would take longer than the hand-over under test. Milliseconds. */
const thresholdMs = 20_000;

/** T of a member that leads again because there is no other: its term must last on a starved machine. */
const aloneMs = 8000;

const folderOf = (group: Group): string => join(group.directory, 'run');

function start(group: Group, name: string, args: readonly string[]): Command {
  return startCommand([name, group.url, '--role', 'job', ...args], {
    LEADERSHIP_RUN_DIR: folderOf(group),
  });
}

const filesOf = (group: Group): readonly string[] => readdirSync(folderOf(group));

describe.skipIf(process.platform === 'win32').concurrent('resign', () => {
  it('hands the role over to another member, after the command has drained', async () => {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    await using first = start(group, 'run', ['--', ...journal.worker('a')]);
    await journal.noted('a', 'start');
    await using second = start(group, 'run', ['--', ...journal.worker('b')]);
    await eventually('it campaigns', () => second.stderr().includes('campaigns for'));
    await pause(3000); // The successor joins the group.
    expect(filesOf(group)).toHaveLength(1);
    expect(statSync(folderOf(group)).mode & 0o777).toBe(0o700);

    await using resigning = start(group, 'resign', []);
    expect(await resigning.ended, resigning.stderr()).toBe(0);
    expect(resigning.stderr()).toContain(`asked process ${first.pid}`);
    expect(resigning.stderr()).toMatch(/member \S+ leads role job in term \d{16}\n$/);
    expect(first.stderr()).toContain('resigns on request');
    await journal.noted('b', 'start');
    expect(journal.lines('a').at(-1)?.kind, 'the end of its command').toBe('SIGTERM');
    // It stays a member, and may lead later.
    expect(first.process.exitCode).toBeNull();
    journal.expectExclusive();

    for (const run of [first, second]) run.process.kill('SIGTERM');
    await Promise.all([first.ended, second.ended]);
    expect(() => filesOf(group), 'the folder').toThrow('ENOENT');
  });

  it('exits with 1 if no other member takes over', async () => {
    await using group = await temporaryGroup(aloneMs);
    const journal = journalIn(group);
    await using first = start(group, 'run', ['--', ...journal.worker('a')]);
    await journal.noted('a', 'start');
    await using resigning = start(group, 'resign', []);
    expect(await resigning.ended).toBe(1);
    expect(resigning.stderr()).toContain('no other member could take over');
    expect(first.process.exitCode).toBeNull();

    await using once = await temporaryGroup(aloneMs);
    const worker = journalIn(once);
    await using last = start(once, 'run', ['--once', '--', ...worker.worker('a')]);
    await worker.noted('a', 'start');
    await using alone = start(once, 'resign', ['--wait', '20']);
    expect(await alone.ended).toBe(1);
    expect(alone.stderr()).toContain('it has resigned, but no other member leads');
    expect(await last.ended).toBe(0);
  });

  it('exits with 1 if the command of the leader does not end in time', async () => {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    await using first = start(group, 'run', ['--', ...journal.worker('a', 'stubborn')]);
    await journal.noted('a', 'start');
    await using resigning = start(group, 'resign', ['--wait', '2']);
    expect(await resigning.ended).toBe(1);
    expect(resigning.stderr()).toContain('has not resigned within 2 s');
    expect(first.process.exitCode).toBeNull();
  });

  it('exits with 1 if there is no leader, and with 2 without a role', async () => {
    await using group = await temporaryGroup(2000);
    {
      await using member = await openLeadership(group.url);
      await member.ready();
    }
    await using resigning = start(group, 'resign', []);
    expect(await resigning.ended).toBe(1);
    expect(resigning.stderr()).toContain('role job has no leader');
    await using wrong = startCommand(['resign', group.url]);
    expect(await wrong.ended).toBe(2);
  });

  it.each([
    ['other-host-17', 'it runs on host other-host as process 17; run this command there'],
    [`${hostname()}-17`, 'run this command on the host and as the user of that member'],
    ['alice', 'An application resigns by role.resign()'],
  ])('exits with 2 if the leader is no such process of this host: %s', async (member, text) => {
    await using group = await temporaryGroup(thresholdMs);
    await using other = await openLeadership(`${group.url}&member=${member}`, { log: false });
    await expect.poll(() => other.held().size).toBe(1);
    const token = other.held().get(0)?.token;
    await using resigning = start(group, 'resign', []);
    expect(await resigning.ended).toBe(2);
    expect(resigning.stderr()).toContain(`member ${member} in term ${token}`);
    expect(resigning.stderr()).toContain(text);
    expect(other.held().get(0)?.token).toBe(token);
  });

  it.runIf(process.platform === 'linux')(
    'asks no process that is not the one of the file, and removes the file',
    async () => {
      await using group = await temporaryGroup(thresholdMs);
      await using other = await openLeadership(group.url, { log: false });
      await expect.poll(() => other.held().size).toBe(1);
      const token = String(other.held().get(0)?.token);
      let isAsked = false;
      const ask = (): void => {
        isAsked = true;
      };
      process.on('SIGURG', ask);
      try {
        mkdirSync(folderOf(group), { mode: 0o700 });
        const term = { group: 'demo', partition: 0, token, pid: process.pid };
        // The id was that of an earlier process.
        const identity = `${readlinkSync('/proc/self/ns/pid')} 1`;
        writeFileSync(join(folderOf(group), '1.json'), JSON.stringify({ ...term, identity }));
        await using resigning = start(group, 'resign', []);
        expect(await resigning.ended).toBe(2);
        expect(isAsked).toBe(false);
        expect(filesOf(group)).toEqual([]);
      } finally {
        process.off('SIGURG', ask);
      }
    },
  );

  it('refuses a folder that other users may write', async () => {
    await using group = await temporaryGroup(2000);
    const journal = journalIn(group);
    mkdirSync(folderOf(group));
    chmodSync(folderOf(group), 0o777);
    await using first = start(group, 'run', ['--', ...journal.worker('a')]);
    await journal.noted('a', 'start');
    await eventually('it says so', () => first.stderr().includes('cannot be found by'));
    expect(first.stderr()).toContain('must be a directory that only this user may write');
    expect(filesOf(group)).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)(
    'refuses, also as root, to write into a folder of another user',
    async () => {
      await using group = await temporaryGroup(2000);
      const journal = journalIn(group);
      mkdirSync(folderOf(group), { mode: 0o700 });
      chownSync(folderOf(group), 12_345, 12_345);
      await using first = start(group, 'run', ['--', ...journal.worker('a')]);
      await journal.noted('a', 'start');
      await eventually('it says so', () => first.stderr().includes('cannot be found by'));
      expect(filesOf(group)).toEqual([]);
    },
  );
});
