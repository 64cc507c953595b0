// The step `import rules` of `npm run check`: compares every import of the repository with the
// table of arrows (`table.ts`), and prints each one that no arrow allows.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import process from 'node:process';
import { wrongImports } from './check-arrows.ts';

const root = resolve(import.meta.dirname, '../../..');
const listed = execFileSync('git', ['ls-files', '--', '*.ts', '*.mts', '*.cts', '*.mjs'], {
  cwd: root,
  encoding: 'utf8',
});
const files = listed.split('\n').filter((file) => /^[^/]+\/.*(src|test)\//.test(file));
const wrong = wrongImports(root, files);
for (const one of wrong) console.error(one);
console.log(`arrows: ${files.length} files, ${wrong.length} wrong imports`);
if (wrong.length > 0) process.exitCode = 1;
