// Shows the lines of the sources in stack traces. Vitest knows only the files that it compiles.
import { findSourceMap } from 'node:module';

const prepare = Error.prepareStackTrace;
// Vitest evaluates this for every test file of a process.
if (prepare.name !== 'withOriginals')
  Error.prepareStackTrace = function withOriginals(error, frames) {
    return prepare(error, frames).replace(/(file:\S+\.ts):(\d+):(\d+)/g, original);
  };

function original(position, url, line, column) {
  const entry = findSourceMap(url)?.findEntry(line - 1, column - 1);
  if (entry?.originalLine === undefined) return position;
  return `${url}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}
