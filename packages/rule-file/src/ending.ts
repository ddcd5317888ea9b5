/** The forms of rule files by the ending of their name; of several files with one name the first is served. */
export const ENDINGS = ['.json', '.yaml', '.yml', '.engine'] as const
export type Ending = (typeof ENDINGS)[number]

/** The ending of a file's name or path; undefined when it is no rule file. */
export function endingOf(file: string): Ending | undefined {
  return ENDINGS.find((ending) => file.endsWith(ending))
}
