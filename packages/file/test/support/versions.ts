import { versionPath } from '../../src/register/layout.ts';
import { list } from '../../src/register/locate.ts';

/** Returns the only life of a register: its mark and the numbers of its versions. */
export async function lifeIn(
  register: string,
): Promise<{ readonly mark: string; readonly numbers: readonly number[] }> {
  const lives = [...((await list(register))?.lives ?? [])];
  const [life, ...others] = lives;
  if (life === undefined || others.length > 0)
    throw new Error(`${register} has ${lives.length} lives`);
  const [mark, numbers] = life;
  return { mark, numbers };
}

/** Returns the path of a version in the only life of a register, whether or not it exists. */
export async function versionFile(register: string, number: number): Promise<string> {
  const { mark } = await lifeIn(register);
  return versionPath(register, { number, mark });
}
