/**
 * The candidate of a ruleset in a canary has a name of its own at engines, `<name>.r<number of the release>`, which no ruleset of
 * a caller may have.
 */
const CANDIDATE = /\.r\d+$/

export const candidateName = (name: string, release: number): string => `${name}.r${release}`

export const isCandidate = (name: string): boolean => CANDIDATE.test(name)

/** The name of the ruleset that a candidate may take the place of; that of any other ruleset is its own. */
export const rulesetOf = (name: string): string => name.replace(CANDIDATE, '')
