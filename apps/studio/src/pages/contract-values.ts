/** Types offered by the form; others, such as `array<number>` and `concept:Address`, are typed in. */
export const TYPES = [
  'string',
  'number',
  'integer',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'array<string>',
  'array<number>',
  'any',
] as const

const NUMBERS: ReadonlySet<string> = new Set(['number', 'integer', 'decimal'])

/** Parses comma-separated values; invalid numbers are omitted. */
export function readValues(text: string, type: string): readonly (string | number | boolean)[] {
  const items = text
    .split(/[,，、]/)
    .map((item) => item.trim())
    .filter((item) => item !== '')
  if (type === 'boolean') return items.flatMap((item) => (item === 'true' || item === 'false' ? [item === 'true'] : []))
  return NUMBERS.has(type) ? items.map(Number).filter((value) => Number.isFinite(value)) : items
}

/** Values in the form in which people type them. */
export const shownValues = (values: readonly unknown[] | undefined): string => (values ?? []).map(String).join(', ')

/** The lowest version for a change; undefined if nothing changes, or the previous version is invalid. */
export function nextVersion(before: string, bump: 'major' | 'minor' | 'patch' | 'none'): string | undefined {
  const [, major = '', minor = '', patch = ''] = /^(\d+)\.(\d+)\.(\d+)$/.exec(before) ?? []
  if (major === '' || bump === 'none') return undefined
  if (bump === 'patch') return `${major}.${minor}.${Number(patch) + 1}`
  // Before 1.0.0 a minor version may break callers.
  if (bump === 'minor' || major === '0') return `${major}.${Number(minor) + 1}.0`
  return `${Number(major) + 1}.0.0`
}
