// All commands of `leadership`, with their arguments and options.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { Argument, Command, Help, InvalidArgumentError, Option } from 'commander';
import { completion, shells } from './completion/completion.ts';
import { type DoctorOptions, doctor } from './doctor/doctor.ts';
import { type EnvOptions, env } from './environment/env.ts';
import { urlVariable } from './environment/variables.ts';
import { succeeded } from './exit-codes.ts';
import { isWrapper, report } from './failure.ts';
import { type GuardOptions, guard } from './guard/guard.ts';
import { moveBelowInit } from './process-1.ts';
import { type ResignOptions, resign } from './resign/resign.ts';
import { type RunOptions, run } from './run/run.ts';
import { type StatusOptions, status } from './status/status.ts';
import { statusFormat } from './status/status-format.ts';
import { type WatchOptions, watch } from './watch/watch.ts';

/** Follows each error of the command line of a wrapper. */
const separatorHint = `(-- separates the command from the options, as in:
  leadership run URL --role NAME -- COMMAND…
  leadership guard -- COMMAND…
leadership --help lists the commands and options)`;

/** Parses the arguments and executes the command. Returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  let code = succeeded;
  const [name] = args;
  // All that follows belongs to the program that a wrapper runs, and is not an option of the wrapper.
  const end = isWrapper(name) ? args.indexOf('--') : -1;
  const own = end < 0 ? args : args.slice(0, end);
  const program = newProgram(end < 0 ? [] : args.slice(end + 1), (result) => {
    code = result;
  });
  try {
    await program.parseAsync(own, { from: 'user' });
    return code;
  } catch (error) {
    return report(error, name);
  }
}

type Report = (code: number) => void;

function newProgram(commandLine: readonly string[], done: Report): Command {
  const program = new Command('leadership')
    .description('Shows who leads, and runs any program only while it leads.')
    .version(version())
    .exitOverride()
    .configureHelp({
      // "default: false" says nothing of an option without a value.
      optionDescription: (option) =>
        option.defaultValue === false ? option.description : new Help().optionDescription(option),
    })
    .showHelpAfterError('(leadership --help lists the commands and options)');
  addStatus(program, done);
  addWatch(program, done);
  addRun(program, commandLine, done);
  addGuard(program, commandLine, done);
  addResign(program, done);
  addDoctor(program, done);
  addEnv(program);
  addCompletion(program);
  return program;
}

function addStatus(program: Command, done: Report): void {
  observing(program.command('status'))
    .description(
      'print the leader of each partition; exit with 0 if each has one, with 1 if not, with 3 if no member has ever opened the group',
    )
    .option('--wait <seconds>', 'wait that long for leaders that are missing', seconds, 1)
    .addOption(
      new Option('-q, --quiet', 'print nothing: the exit code says it')
        .default(false)
        .conflicts(['json', 'format']),
    )
    .addOption(
      new Option('--format <template>', "print a line for each partition, as in '{leader} {token}'")
        .argParser(statusFormat)
        .conflicts('json'),
    )
    .action(async (url: string | undefined, options: StatusOptions, command: Command) =>
      done(await status(urlOf(url, command), options)),
    );
}

function addWatch(program: Command, done: Report): void {
  observing(program.command('watch'))
    .description('print leaders and troubles as they change; one line per event in a pipe')
    .option('--web [port]', 'serve a page to browsers of this host instead', portNumber)
    .action(async (url: string | undefined, options: WatchOptions, command: Command) =>
      done(await watch(urlOf(url, command), options)),
    );
}

function addRun(program: Command, commandLine: readonly string[], done: Report): void {
  connecting(program.command('run'))
    .usage('[url] (--role <name> | --slots <n>) [options] -- <command...>')
    .showHelpAfterError(separatorHint)
    .description(
      'run a program only while this process leads; its exit code is that of the program',
    )
    .addOption(new Option('--role <name>', 'the role to lead').conflicts('slots'))
    .option('--slots <n>', 'run it in n processes at once, at most one of them in each', slots)
    .option('--restart', 'start it again, in a later term, after it has ended by itself', false)
    .addOption(new Option('--once', 'exit after the first run').default(false).conflicts('restart'))
    .option('--wait <seconds>', 'give up with exit code 124 if it does not lead by then', seconds)
    .option('--stop-timeout <seconds>', 'between SIGTERM and SIGKILL', seconds, 10)
    .hook('preAction', moveBelowInit)
    .action(async (url: string | undefined, options: RunOptions, command: Command) => {
      if (options.role === undefined && options.slots === undefined)
        command.error("error: required option '--role <name>' or '--slots <n>' not specified");
      if (commandLine.length === 0) command.error('error: run needs a command after --');
      done(await run(urlOf(url, command), commandLine, options));
    });
}

function addResign(program: Command, done: Report): void {
  connecting(program.command('resign'))
    .usage('[url] (--role <name> | --slot <n>) [options]')
    .description('ask the leader, a leadership run process of this host, to hand its role over')
    .addOption(new Option('--role <name>', 'the role to hand over').conflicts('slot'))
    .option('--slot <n>', 'the slot of run --slots to hand over', slot)
    .option('--wait <seconds>', 'how long to wait for another leader', seconds, 30)
    .option('--timeout <seconds>', 'how long to wait for the backend', seconds, 10)
    .action(async (url: string | undefined, options: ResignOptions, command: Command) => {
      if (options.role === undefined && options.slot === undefined)
        command.error("error: required option '--role <name>' or '--slot <n>' not specified");
      done(await resign(urlOf(url, command), options));
    });
}

function addGuard(program: Command, commandLine: readonly string[], done: Report): void {
  program
    .command('guard')
    .description('run an application; if its process dies, release its leases at once, not after T')
    .usage('[options] -- <command...>')
    .showHelpAfterError(separatorHint)
    .option('--grace <ms>', 'wait that long between the death and the release', milliseconds, 0)
    .option('--listen <dir>', 'put the socket into this folder, for applications started elsewhere')
    .hook('preAction', moveBelowInit)
    .action(async (options: GuardOptions) => done(await guard(commandLine, options)));
}

function addDoctor(program: Command, done: Report): void {
  connecting(program.command('doctor'))
    .description('check a backend and this host, and recommend T; exit with 1 if a check fails')
    .option('--campaign', 'take part, and so check the right to write; it may lead', false)
    .option('--duration <seconds>', 'how long to observe', seconds, 5)
    .option('--json', 'print JSON', false)
    .option('--timeout <seconds>', 'how long to wait for the backend', seconds, 10)
    .action(async (url: string | undefined, options: DoctorOptions, command: Command) =>
      done(await doctor(urlOf(url, command), options)),
    );
}

function addEnv(program: Command): void {
  program
    .command('env')
    .description('print the environment variables that leadership reads and sets, without secrets')
    .option('--json', 'print JSON', false)
    .action((options: EnvOptions) => env(options));
}

function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument(`<${shells.join('|')}>`, 'the shell').choices(shells))
    .action((shell: (typeof shells)[number]) => completion(program, shell));
}

/** Adds the arguments of all commands that observe. */
function observing(command: Command): Command {
  return connecting(command)
    .addOption(
      new Option('--role <name>', 'show only the partition of this role; repeatable')
        .argParser(collected)
        .default([], 'all'),
    )
    .option('--json', 'print JSON', false)
    .option('--timeout <seconds>', 'how long to wait for the backend', seconds, 10);
}

/** Adds the arguments of all commands. */
function connecting(command: Command): Command {
  return command
    .argument('[url]', `the URL of the group, as in file:DIR?group=GROUP; default: $${urlVariable}`)
    .addOption(
      new Option('--option <name=value>', 'an option of the URL; repeatable')
        .argParser(collected)
        .default([], 'none'),
    );
}

/** Returns the URL of a command: its argument, or else that of the environment. */
function urlOf(argument: string | undefined, command: Command): string {
  const url = argument ?? process.env[urlVariable] ?? '';
  if (url === '') command.error(`error: missing argument 'url', and ${urlVariable} is not set`);
  return url;
}

function collected(value: string, values: readonly string[]): readonly string[] {
  return [...values, value];
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 86_400) return value;
  throw new InvalidArgumentError('It must be a number of seconds, from 0 to 86400.');
}

function slots(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1) return value;
  throw new InvalidArgumentError('It must be a whole number from 1 up.');
}

function slot(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text)) return value;
  throw new InvalidArgumentError('It must be a whole number from 0 up, as status shows it.');
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
