const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/

/** The next patch, minor and major version; undefined unless the text consists of three numbers. */
export function nextVersions(version: string): readonly [patch: string, minor: string, major: string] | undefined {
  if (!VERSION.test(version)) return undefined
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`]
}
