/** Types that a form offers; others, such as `array<number>` and `concept:Address`, are typed. */
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

/** The values that a person wrote with commas between them; those of numbers that are none are left out. */
export function readValues(text: string, type: string): readonly (string | number | boolean)[] {
  const items = text
    .split(/[,，、]/)
    .map((item) => item.trim())
    .filter((item) => item !== '')
  if (type === 'boolean') return items.flatMap((item) => (item === 'true' || item === 'false' ? [item === 'true'] : []))
  return NUMBERS.has(type) ? items.map(Number).filter((value) => Number.isFinite(value)) : items
}

/** Values as a person writes them. */
export const shownValues = (values: readonly unknown[] | undefined): string => (values ?? []).map(String).join(', ')

/** The lowest version for a change; undefined: nothing changes, or the version before is not one. */
export function nextVersion(before: string, bump: 'major' | 'minor' | 'patch' | 'none'): string | undefined {
  const [, major = '', minor = '', patch = ''] = /^(\d+)\.(\d+)\.(\d+)$/.exec(before) ?? []
  if (major === '' || bump === 'none') return undefined
  if (bump === 'patch') return `${major}.${minor}.${Number(patch) + 1}`
  // Before 1.0.0 a minor version may break callers.
  if (bump === 'minor' || major === '0') return `${major}.${Number(minor) + 1}.0`
  return `${Number(major) + 1}.0.0`
}
