/** Emulates the terminal features that the demo uses: cursor up, clear below, and text. */
export class Screen {
  raw = '';
  #rows: string[] = [];
  #row = 0;

  get lines(): readonly string[] {
    return this.#rows;
  }

  write(text: string): void {
    this.raw += text;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal understands
    for (const [part] of text.matchAll(/\u001b\[\??\d*[A-Za-z]|\r|\n|[^\u001b\r\n]+/g))
      this.#take(part);
  }

  #take(part: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal understands
    const up = /^\u001b\[(\d+)A$/u.exec(part);
    if (up) this.#row -= Number(up[1]);
    else if (part === '\u001b[J') this.#rows.length = this.#row;
    else if (part === '\n') this.#newLine();
    else if (!part.startsWith('\u001b') && part !== '\r')
      this.#rows[this.#row] = (this.#rows[this.#row] ?? '') + part;
  }

  #newLine(): void {
    this.#rows[this.#row] ??= '';
    this.#row += 1;
  }
}
