// Stands for Docker's client where there is no engine: notes how it was called, and runs dynalite where a container of LocalStack would run.
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { STAND_IN_FOLDER: folder, STAND_IN_HAS: has = '' } = process.env;
const args = process.argv.slice(2);
const [verb] = args;
appendFileSync(`${folder}/calls`, `${JSON.stringify(args)}\n`);

function run() {
  const name = args[args.indexOf('--name') + 1];
  const port = /:(\d+):4566$/.exec(args[args.indexOf('--publish') + 1])[1];
  const dynalite = fileURLToPath(import.meta.resolve('dynalite/cli.js'));
  const atOnce = ['--createTableMs', '0', '--deleteTableMs', '0'];
  const child = spawn(process.execPath, [dynalite, '--port', port, '--host', '127.0.0.1', ...atOnce], { detached: true, stdio: 'ignore' });
  writeFileSync(`${folder}/${name}`, String(child.pid));
  child.unref();
  console.log(name);
}

if (verb === 'version') process.exitCode = has.includes('engine') ? 0 : 1;
else if (verb === 'image') process.exitCode = has.includes('image') ? 0 : 1;
else if (verb === 'run') run();
else if (verb === 'rm') process.kill(Number(readFileSync(`${folder}/${args.at(-1)}`, 'utf8')), 'SIGKILL');
