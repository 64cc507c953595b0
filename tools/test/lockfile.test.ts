import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { complete, type Lockfile } from '../src/lockfile/complete.ts';

const text = readFileSync(resolve(import.meta.dirname, '../../package-lock.json'), 'utf8');

it('contains no registry URL, so that every machine uses its configured registry', () => {
  const resolved = [...text.matchAll(/"resolved": "([^"]*)"/g)].map(([, where]) => where);
  expect(resolved.filter((where) => where?.includes(':'))).toEqual([]);
});

it('contains the binaries of every platform; after `npm install`, run `node tools/dist/lockfile/main.js`', () => {
  const lockfile = JSON.parse(text) as Lockfile;
  expect(Object.keys(complete(lockfile).packages)).toEqual(Object.keys(lockfile.packages));
});

it('is completed for missing platforms, based on the names of the packages', () => {
  const optionalDependencies = {
    '@scope/cli-linux-x64-musl': '1.2.3',
    '@scope/windows-64': '2.0.0',
    'not-a-platform': '1.0.0',
  };
  expect(
    complete({ packages: { 'node_modules/tool': { version: '1.2.3', optionalDependencies } } })
      .packages,
  ).toEqual({
    'node_modules/@scope/cli-linux-x64-musl': {
      version: '1.2.3',
      cpu: ['x64'],
      os: ['linux'],
      libc: ['musl'],
      dev: true,
      optional: true,
    },
    'node_modules/@scope/windows-64': {
      version: '2.0.0',
      cpu: ['x64'],
      os: ['win32'],
      dev: true,
      optional: true,
    },
    'node_modules/tool': { version: '1.2.3', optionalDependencies },
  });
});

it('is complete if a package has the binary in a folder of its own', () => {
  const outer = 'node_modules/tool/node_modules';
  const packages = {
    [`${outer}/@scope/cli-linux-x64`]: { version: '1.2.3' },
    [`${outer}/part`]: { optionalDependencies: { '@scope/cli-linux-x64': '1.2.3' } },
  };
  expect(complete({ packages }).packages).toEqual(packages);
});
