// Summarizes a CI run: `node tools/closing-line.mjs FOLDER FAILURES` reads the reports in the
// folder, lists every skipped test with its reason, then every failed test with its message, and
// prints `N passed, N failed, N skipped` last. Failures are listed here again because whoever reads
// the end of a long log needs them. Exits with 1 if anything failed, or if more tests were skipped
// than expected.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';

/**
 * The maximum number of skipped tests on a machine with every backend. Nearly all of them are
 * checks of the conformance suite: for promises that a backend does not make, or faults that its
 * cluster cannot inject. The limit reveals tests that are newly skipped, so raise it only for a
 * known reason.
 */
const skippedMax = 530;

/** The number of lines of a failed test's message that are repeated. */
const messageLinesMax = 12;

const [folder = '.', failures = '0'] = process.argv.slice(2);
const { passed, failed, skipped, failures: messages } = counted(folder);
for (const [file, reasons] of grouped(skipped)) {
  console.log(`skipped in ${file}:`);
  for (const [reason, names] of reasons) console.log(`  ${reason}: ${names.join(', ')}`);
}
for (const { file, name, message } of messages) {
  console.log(`failed in ${file}: ${name}`);
  for (const line of message.split('\n').slice(0, messageLinesMax)) console.log(`  ${line}`);
}
const isTooMany = skipped.length > skippedMax;
if (isTooMany)
  console.log(
    `${skipped.length} tests were skipped; the limit is ${skippedMax}. Find out why, or raise skippedMax in tools/closing-line.mjs.`,
  );
// A run that ended before it wrote a report has failed too.
const failedAtLeast = Math.max(failed + (isTooMany ? 1 : 0), Number(failures));
console.log(`${passed} passed, ${failedAtLeast} failed, ${skipped.length} skipped`);
process.exitCode = failedAtLeast > 0 ? 1 : 0;

function counted(reports) {
  const total = { passed: 0, failed: 0, skipped: [], failures: [] };
  for (const name of readdirSync(reports).filter((name) => name.endsWith('.json')))
    addTests(total, JSON.parse(readFileSync(join(reports, name), 'utf8')));
  const check = join(reports, 'check.txt');
  const printed = existsSync(check) ? readFileSync(check, 'utf8') : '';
  const steps = /^check: (\d+) of (\d+) steps passed$/m.exec(printed);
  for (const [, name] of printed.matchAll(/^FAILED +(.*)$/gm))
    total.failures.push({ file: 'npm run check', name, message: 'its output is above' });
  if (steps) {
    total.passed += Number(steps[1]);
    total.failed += Number(steps[2]) - Number(steps[1]);
  }
  return total;
}

function addTests(total, { numPassedTests, numFailedTests, testResults }) {
  // A test file that fails to load reports no tests. It counts as one failure.
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  total.passed += numPassedTests;
  total.failed += numFailedTests + broken.length;
  for (const { name, message = '' } of broken)
    total.failures.push({ file: pathOf(name), name: 'the file', message });
  for (const { name, assertionResults } of testResults)
    for (const result of assertionResults) addTest(total, pathOf(name), result);
}

function addTest(total, file, { status, title, fullName, failureMessages = [], duration, meta }) {
  if (status === 'failed')
    total.failures.push({ file, name: fullName, message: readable(failureMessages, duration) });
  else if (status !== 'passed')
    total.skipped.push({
      file,
      reason: meta?.skipReason ?? 'no reason given',
      name: title.split(': ')[0],
    });
}

/** Vitest reports a test that took too long by a stack without the reason. */
function readable(messages, duration) {
  const timedOut = `Error: the test timed out after ${Math.round(duration / 1000)} s`;
  return messages.join('\n').replace('Error: STACK_TRACE_ERROR', timedOut);
}

function pathOf(file) {
  return relative(process.cwd(), file);
}

/** Groups tests by file, then by reason. */
function grouped(tests) {
  const files = new Map();
  for (const { file, reason, name } of tests) {
    const reasons = files.get(file) ?? new Map();
    reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
    files.set(file, reasons);
  }
  return files;
}
