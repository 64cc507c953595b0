/** Yields each whole line of a stream of text as soon as it has arrived, without its end. */
export async function* linesIn(chunks: AsyncIterable<unknown>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = `${rest}${String(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
