import { gte, valid } from 'semver'

/** The policy file has mistakes: one message a line at fault. */
export class MinimumVersionsError extends Error {}

/**
 * The least version of a ruleset that is taken, so that an old one whose signature is still good cannot be brought back
 * unnoticed. Rulesets that are not named may have any version.
 */
export interface MinimumVersions {
  /** Why a version is not taken; undefined: it is. */
  refuse(name: string, version: string): string | undefined
}

/** Every version is taken. */
export const NO_MINIMUM: MinimumVersions = { refuse: () => undefined }

/**
 * Read a policy file: `<ruleset> <version>` a line, versions as in SemVer 2.0, `#` begins a comment line. Throws
 * `MinimumVersionsError`.
 */
export function parseMinimumVersions(text: string): MinimumVersions {
  const faults: string[] = []
  const minimums = new Map<string, string>()
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const [name = '', version = '', ...rest] = line.split(/\s+/)
    if (rest.length > 0 || valid(version) === null)
      faults.push(`line ${index + 1}: expected \`<ruleset> <version>\` such as \`credit-limit 2.1.0\``)
    else if (minimums.has(name)) faults.push(`line ${index + 1}: \`${name}\` is given twice`)
    else minimums.set(name, version)
  }
  if (faults.length > 0) throw new MinimumVersionsError(faults.join('; '))
  return {
    refuse(name, version) {
      const minimum = minimums.get(name)
      if (minimum === undefined) return undefined
      if (valid(version) === null)
        return `version \`${version}\` is no SemVer version, and at least ${minimum} is asked for`
      return gte(version, minimum) ? undefined : `version ${version} is below the minimum ${minimum}`
    },
  }
}
