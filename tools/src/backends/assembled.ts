/**
 * Assembles something of parts that have to be disposed of: `build` passes each of them to `keep`.
 * Disposing of the result disposes of them, the newest first. If `build` rejects, that happens at once.
 */
export async function assembled<T extends object>(
  build: (keep: <Part extends AsyncDisposable>(part: Part) => Part) => Promise<T>,
): Promise<T & AsyncDisposable> {
  const parts: AsyncDisposable[] = [];
  const dispose = async (): Promise<void> => {
    for (const part of parts.splice(0).reverse()) await part[Symbol.asyncDispose]();
  };
  try {
    const built = await build((part) => {
      parts.push(part);
      return part;
    });
    return Object.assign(built, { [Symbol.asyncDispose]: dispose });
  } catch (error) {
    await dispose();
    throw error;
  }
}
