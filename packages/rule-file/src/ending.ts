/** The forms of rule files by file extension; of several files with the same name the first is served. */
export const ENDINGS = ['.json', '.yaml', '.yml', '.engine'] as const
export type Ending = (typeof ENDINGS)[number]

/** The extension of a rule file's name or path; undefined for other files. */
export function endingOf(file: string): Ending | undefined {
  return ENDINGS.find((ending) => file.endsWith(ending))
}

/** Extensions of files that accompany a rule file: its test cases and its contract. */
const COMPANIONS = ['.cases.json', '.contract.json'] as const

/**
 * Whether a file is named like a companion of a rule file (`limit.cases.json` next to `limit.json`). The name alone
 * does not decide: a ruleset may be called `limit.cases`.
 */
export function isNamedCompanion(file: string): boolean {
  return COMPANIONS.some((ending) => file.endsWith(ending))
}
