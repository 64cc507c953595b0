#!/usr/bin/env node
// The executable `leadership`.
import process from 'node:process';
import { report } from './failure.ts';
import { runProgram } from './program.ts';

const args = process.argv.slice(2);
// Also what no promise of a command carries, such as an output that cannot be written.
process.on('uncaughtException', (error) => process.exit(report(error, args[0])));
process.exitCode = await runProgram(args);
