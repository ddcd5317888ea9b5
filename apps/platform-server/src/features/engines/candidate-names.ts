/**
 * On engines, the candidate of a canary is a separate ruleset, `<name>.r<number of the release>`; rulesets of callers cannot
 * have such a name.
 */
const CANDIDATE = /\.r\d+$/

export const candidateName = (name: string, release: number): string => `${name}.r${release}`

export const isCandidate = (name: string): boolean => CANDIDATE.test(name)

/** The name of the ruleset that a candidate may replace; any other name is returned unchanged. */
export const rulesetOf = (name: string): string => name.replace(CANDIDATE, '')
