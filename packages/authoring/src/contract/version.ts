/** The parts of a semantic version that determine its step; a pre-release belongs to the same version. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
  /** Text after `-`; empty for none. */
  readonly preRelease: string
}

const VERSION =
  /^(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/

/** Parses a semantic version; undefined when it is invalid. */
export function parseVersion(text: string): Version | undefined {
  const found = VERSION.exec(text)
  if (found === null) return undefined
  const [, major, minor, patch, preRelease = ''] = found
  if (preRelease.split('.').some((part) => /^0\d+$/.test(part))) return undefined
  return { major: Number(major), minor: Number(minor), patch: Number(patch), preRelease }
}

/**
 * The precedence of two versions, as a negative number, 0 or a positive number (semver.org, 11).
 *
 * @internal
 */
export function compareVersions(left: Version, right: Version): number {
  return (
    left.major - right.major ||
    left.minor - right.minor ||
    left.patch - right.patch ||
    comparePreRelease(left.preRelease, right.preRelease)
  )
}

function comparePreRelease(left: string, right: string): number {
  if (left === right) return 0
  // A version without a pre-release follows those with one.
  if (left === '' || right === '') return left === '' ? 1 : -1
  const [ours, theirs] = [left.split('.'), right.split('.')]
  for (const [index, part] of ours.entries()) {
    const other = theirs[index]
    if (other === undefined) return 1
    const step = compareIdentifiers(part, other)
    if (step !== 0) return step
  }
  return ours.length - theirs.length
}

function compareIdentifiers(left: string, right: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)]
  if (isNumber && isOtherNumber) return Number(left) - Number(right)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return left < right ? -1 : left > right ? 1 : 0
}

export type Bump = 'major' | 'minor' | 'patch' | 'none'

const RANK: { readonly [Step in Bump]: number } = { none: 0, patch: 1, minor: 2, major: 3 }

export function largerBump(left: Bump, right: Bump): Bump {
  return RANK[left] >= RANK[right] ? left : right
}

/** The step from one version to a higher one; `none` when it is not higher. */
function stepOf(before: Version, after: Version): Bump {
  if (compareVersions(after, before) <= 0) return 'none'
  if (after.major > before.major) return 'major'
  return after.minor > before.minor ? 'minor' : 'patch'
}

/**
 * Whether a version may follow another for a change that needs at least `bump`. Before 1.0.0 a minor step suffices for
 * a breaking change and a patch for everything else (semver.org, 4).
 */
export function suffices(before: Version, after: Version, bump: Bump): boolean {
  const isInitial = before.major === 0 && after.major === 0
  const needed = isInitial && bump === 'major' ? 'minor' : isInitial && bump === 'minor' ? 'patch' : bump
  return RANK[stepOf(before, after)] >= RANK[needed]
}

/** The lowest version without a pre-release after a step of `bump`; undefined when `version` is invalid. */
export function nextVersion(version: string, bump: Exclude<Bump, 'none'>): string | undefined {
  const before = parseVersion(version)
  if (before === undefined) return undefined
  const { major, minor, patch, preRelease } = before
  const candidates = [
    ...(preRelease === '' ? [] : [`${major}.${minor}.${patch}`]),
    `${major}.${minor}.${patch + 1}`,
    `${major}.${minor + 1}.0`,
    `${major + 1}.0.0`,
  ]
  return candidates.find((candidate) => {
    const after = parseVersion(candidate)
    return after !== undefined && suffices(before, after, bump)
  })
}
