// Completes package-lock.json after `npm install` on a machine whose registry lacks the binaries of
// other platforms.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { complete, type Lockfile } from './complete.ts';

const path = resolve(import.meta.dirname, '../../../package-lock.json');
const lockfile = JSON.parse(readFileSync(path, 'utf8')) as Lockfile;
writeFileSync(path, `${JSON.stringify(complete(lockfile), undefined, 2)}\n`);
