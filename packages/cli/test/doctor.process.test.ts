import { readdir } from 'node:fs/promises';
import { openLeadership } from '@leadership/core';
import { expect, it } from 'vitest';
import { startCommand } from './support/command.ts';
import { temporaryGroup } from './support/group.ts';

it('doctor observes a group without taking part, and exits with 0', async () => {
  await using group = await temporaryGroup(5000);
  await using member = await openLeadership(group.url);
  await expect.poll(() => member.held().size).toBe(1);
  await using command = startCommand(['doctor', group.url, '--duration', '1', '--json']);
  expect(await command.ended, command.stderr()).toBe(0);
  const findings: readonly { readonly check: string; readonly message: string }[] = JSON.parse(
    command.stdout(),
  );
  const message = (name: string): string =>
    findings.find(({ check }) => check === name)?.message ?? '';
  expect(message('backend')).toMatch(/it answered \d+ ms after the start/);
  expect(message('writing')).toContain('not checked');
  expect(message('leaders')).toContain('1 of 1');
  expect(message('T')).toContain('thresholdMs 5000');
});

it('doctor fails for a group that no member has opened, exits with 3, and creates nothing', async () => {
  await using group = await temporaryGroup(5000);
  await using command = startCommand(['doctor', group.url, '--duration', '0.1']);
  expect(await command.ended, command.stderr()).toBe(3);
  expect(command.stdout()).toMatch(/^fail +group +no member has ever opened group "demo" here/m);
  expect(command.stdout()).not.toContain('partitions have a leader');
  expect(await readdir(group.directory)).toEqual([]);
});

it('doctor --campaign leads, and measures the round trip of a renewal', async () => {
  await using group = await temporaryGroup(1000);
  await using command = startCommand(['doctor', group.url, '--duration', '6', '--campaign']);
  expect(await command.ended).toBe(0);
  expect(command.stdout()).toMatch(/^ok +writing +this member led and renewed; the longest/m);
});

it('doctor exits with 2 if the backend refuses or does not exist', async () => {
  await using command = startCommand(['doctor', 'nosuch:x']);
  expect(await command.ended).toBe(2);
});
