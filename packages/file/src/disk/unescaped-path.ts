// Reads the kernel's list of mounts.

/**
 * Decodes a path of the kernel's list of mounts, in which spaces and similar characters are octal.
 */
export function unescapedPath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
