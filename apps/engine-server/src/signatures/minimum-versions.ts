import { quote } from '@engine/expression'
import gte from 'semver/functions/gte.js'
import valid from 'semver/functions/valid.js'
import { readLines } from '@engine/process'

/**
 * The minimum version of a ruleset, so that an old version with a valid signature cannot be reintroduced unnoticed.
 * Rulesets that are not listed may have any version.
 */
export interface MinimumVersions {
  /** Why a version is refused; undefined if it is accepted. */
  refuse(name: string, version: string): string | undefined
}

/** Accepts every version. */
export const NO_MINIMUM: MinimumVersions = { refuse: () => undefined }

/**
 * Parses a policy file with `<ruleset> <version>` per line, versions as in SemVer 2.0; `#` begins a comment line.
 * Throws `LineFileError`.
 */
export function parseMinimumVersions(text: string): MinimumVersions {
  const minimums = new Map<string, string>()
  readLines(text, (line) => {
    const [name = '', version = '', ...rest] = line.split(/\s+/)
    if (rest.length > 0 || valid(version) === null) return 'expected `<ruleset> <version>` such as `credit-limit 2.1.0`'
    if (minimums.has(name)) return `${quote(name)} is given twice`
    minimums.set(name, version)
    return undefined
  })
  return {
    refuse(name, version) {
      const minimum = minimums.get(name)
      if (minimum === undefined) return undefined
      if (valid(version) === null)
        return `version ${quote(version)} is not a SemVer version, and at least ${minimum} is required`
      return gte(version, minimum) ? undefined : `version ${version} is below the minimum ${minimum}`
    },
  }
}
