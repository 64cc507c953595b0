import { readFileSync } from 'node:fs';
import process from 'node:process';
import { LeadershipError } from '@leadership/core';
import { printable } from '@leadership/core/internal';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type DoctorOptions, doctor } from './doctor/doctor.ts';
import { succeeded, unusable, wrapperFailed } from './exit-codes.ts';
import { type GuardOptions, guard } from './guard/guard.ts';
import { moveBelowInit } from './process-1.ts';
import { type ResignOptions, resign } from './resign/resign.ts';
import { type RunOptions, run } from './run/run.ts';
import { type StatusOptions, status } from './status/status.ts';
import { type WatchOptions, watch } from './watch/watch.ts';

/** Parses the arguments and executes the command. Returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  let code = succeeded;
  const program = newProgram((result) => {
    code = result;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    const code = failureCode(error);
    // Code 2 may be one of the program.
    const isWrapper = args[0] === 'run' || args[0] === 'guard';
    return code === unusable && isWrapper ? wrapperFailed : code;
  }
}

type Report = (code: number) => void;

function newProgram(report: Report): Command {
  const program = new Command('leadership')
    .description('Shows who leads, and runs any program only while it leads.')
    .version(version())
    .exitOverride()
    .showHelpAfterError('(leadership --help lists the commands and options)');
  addStatus(program, report);
  addWatch(program, report);
  addRun(program, report);
  addGuard(program, report);
  addResign(program, report);
  addDoctor(program, report);
  return program;
}

function addStatus(program: Command, report: Report): void {
  observing(program.command('status'))
    .description(
      'print the leader of each partition; exit with 0 if each has one, with 1 if not, with 3 if no member has ever opened the group',
    )
    .option('--wait <seconds>', 'wait that long for leaders that are missing', seconds, 1)
    .action(async (url: string, options: StatusOptions) => report(await status(url, options)));
}

function addWatch(program: Command, report: Report): void {
  observing(program.command('watch'))
    .description('print leaders and troubles as they change; one line per event in a pipe')
    .option('--web [port]', 'serve a page to browsers of this host instead', portNumber)
    .action(async (url: string, options: WatchOptions) => report(await watch(url, options)));
}

function addRun(program: Command, report: Report): void {
  connecting(program.command('run'))
    .description(
      'run a program only while this process leads; its exit code is that of the program',
    )
    .argument('<command...>', 'the program and its arguments, after --')
    .requiredOption('--role <name>', 'the role to lead')
    .option('--restart', 'start it again, in a later term, after it has ended by itself', false)
    .addOption(new Option('--once', 'exit after the first run').default(false).conflicts('restart'))
    .option('--wait <seconds>', 'give up with exit code 124 if it does not lead by then', seconds)
    .option('--stop-timeout <seconds>', 'between SIGTERM and SIGKILL', seconds, 10)
    .hook('preAction', moveBelowInit)
    .action(async (url: string, command: readonly string[], options: RunOptions) =>
      report(await run(url, command, options)),
    );
}

function addResign(program: Command, report: Report): void {
  connecting(program.command('resign'))
    .description('ask the leader, a leadership run process of this host, to hand its role over')
    .requiredOption('--role <name>', 'the role to hand over')
    .option('--wait <seconds>', 'how long to wait for another leader', seconds, 30)
    .option('--timeout <seconds>', 'how long to wait for the backend', seconds, 10)
    .action(async (url: string, options: ResignOptions) => report(await resign(url, options)));
}

function addGuard(program: Command, report: Report): void {
  program
    .command('guard')
    .description('run an application; if its process dies, release its leases at once, not after T')
    .argument('[command...]', 'the application and its arguments, after --')
    .option('--grace <ms>', 'wait that long between the death and the release', milliseconds, 0)
    .option('--listen <dir>', 'put the socket into this folder, for applications started elsewhere')
    .hook('preAction', moveBelowInit)
    .action(async (command: readonly string[], options: GuardOptions) =>
      report(await guard(command, options)),
    );
}

function addDoctor(program: Command, report: Report): void {
  connecting(program.command('doctor'))
    .description('check a backend and this host, and recommend T; exit with 1 if a check fails')
    .option('--campaign', 'take part, and so check the right to write; it may lead', false)
    .option('--duration <seconds>', 'how long to observe', seconds, 5)
    .option('--json', 'print JSON', false)
    .option('--timeout <seconds>', 'how long to wait for the backend', seconds, 10)
    .action(async (url: string, options: DoctorOptions) => report(await doctor(url, options)));
}

/** Adds the arguments of all commands that observe. */
function observing(command: Command): Command {
  return connecting(command)
    .option('--role <name>', 'show only the partition of this role; repeatable', collected, [])
    .option('--json', 'print JSON', false)
    .option('--timeout <seconds>', 'how long to wait for the backend', seconds, 10);
}

/** Adds the arguments of all commands. */
function connecting(command: Command): Command {
  return command
    .argument('<url>', 'the URL of the group, as in file:DIR?group=GROUP&partitions=1')
    .addOption(
      new Option('--option <name=value>', 'an option of the URL; repeatable')
        .argParser(collected)
        .default([], 'none'),
    );
}

function collected(value: string, values: readonly string[]): readonly string[] {
  return [...values, value];
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 86_400) return value;
  throw new InvalidArgumentError('It must be a number of seconds, from 0 to 86400.');
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 86_400_000) return value;
  throw new InvalidArgumentError('It must be a number of milliseconds, from 0 to 86400000.');
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a port, from 0 to 65535.');
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return manifest.version;
}

/** Reports an error and returns the exit code of the program. */
function failureCode(error: unknown): number {
  // commander has printed its message. Help and version are not failures.
  if (error instanceof CommanderError) return error.exitCode === 0 ? succeeded : unusable;
  process.stderr.write(`leadership: ${errorText(error)}\n`);
  return unusable;
}

/** An application sets such options in its code, so its URL alone may not contain them. */
const partitionsHint =
  '\nAdd the values of the group to the URL or to the command, as in --option partitions=1';

function errorText(error: unknown): string {
  if (error instanceof LeadershipError) {
    const hint = error.code === 'partitions-differ' ? partitionsHint : '';
    return `${printable(error.message)} (${error.code})${hint}`;
  }
  return printable(error instanceof Error ? error.message : String(error));
}
