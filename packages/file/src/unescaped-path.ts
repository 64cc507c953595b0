/** A path as the kernel lists it among the mounts: spaces and the like are written in octal. */
export function unescapedPath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
