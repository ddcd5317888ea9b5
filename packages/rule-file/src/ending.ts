/** The forms of rule files by the ending of their name; of several files with one name the first is served. */
export const ENDINGS = ['.json', '.yaml', '.yml', '.engine'] as const
export type Ending = (typeof ENDINGS)[number]

/** The ending of a file's name or path; undefined when it is no rule file. */
export function endingOf(file: string): Ending | undefined {
  return ENDINGS.find((ending) => file.endsWith(ending))
}

/** Files that belong to a rule file and hold none, by the ending of their name: its test cases and its contract. */
const COMPANIONS = ['.cases.json', '.contract.json'] as const

/**
 * Whether a file is named like one that accompanies a rule file (`limit.cases.json` beside `limit.json`). The name does
 * not decide alone: a ruleset may be called `limit.cases`.
 */
export function isNamedCompanion(file: string): boolean {
  return COMPANIONS.some((ending) => file.endsWith(ending))
}
