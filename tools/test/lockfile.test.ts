import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { complete, type Lockfile } from '../src/lockfile/complete.ts';

const text = readFileSync(resolve(import.meta.dirname, '../../package-lock.json'), 'utf8');

it('names no registry: every machine resolves where it is set up to', () => {
  const resolved = [...text.matchAll(/"resolved": "([^"]*)"/g)].map(([, where]) => where);
  expect(resolved.filter((where) => where?.includes(':'))).toEqual([]);
});

it('knows the binaries of every platform, or `npm ci` refuses it: after `npm install`, run `node tools/dist/lockfile/main.js`', () => {
  const lockfile = JSON.parse(text) as Lockfile;
  expect(Object.keys(complete(lockfile).packages)).toEqual(Object.keys(lockfile.packages));
});

it('completes a lockfile that lacks a platform, by what the name says of it', () => {
  const optionalDependencies = { '@scope/cli-linux-x64-musl': '1.2.3', '@scope/windows-64': '2.0.0', 'not-a-platform': '1.0.0' };
  expect(complete({ packages: { 'node_modules/tool': { version: '1.2.3', optionalDependencies } } }).packages).toEqual({
    'node_modules/@scope/cli-linux-x64-musl': { version: '1.2.3', cpu: ['x64'], os: ['linux'], libc: ['musl'], dev: true, optional: true },
    'node_modules/@scope/windows-64': { version: '2.0.0', cpu: ['x64'], os: ['win32'], dev: true, optional: true },
    'node_modules/tool': { version: '1.2.3', optionalDependencies },
  });
});
