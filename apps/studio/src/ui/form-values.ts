import type { FormField, ValuesOf } from './form-fields.ts'

/** The displayed values, with untrimmed text. */
export type Entries = Readonly<Record<string, string | readonly string[] | boolean>>

/** The selected options of a field. */
export const chosenIn = (entries: Entries, name: string): readonly string[] => {
  const value = entries[name]
  return Array.isArray(value) ? value : []
}

/** The first option of a choice is selected by default. */
export function firstValues(fields: readonly FormField[]): Entries {
  return Object.fromEntries(
    fields.map(({ name, kind, options }) => [
      name,
      kind === 'checks' ? [] : kind === 'flag' ? false : kind === 'select' ? (options?.[0]?.value ?? '') : '',
    ]),
  )
}

/** The values that a form sends. */
export function sentValues<Fields extends readonly FormField[]>(fields: Fields, entries: Entries): ValuesOf<Fields> {
  const values = fields.map(({ name, kind }) => {
    const value = entries[name]
    if (kind === 'flag') return [name, value === true]
    if (kind === 'checks') return [name, [...chosenIn(entries, name)]]
    return [name, typeof value === 'string' ? value.trim() : '']
  })
  // The compiler cannot relate the names in a list to those of an object.
  return Object.fromEntries(values) as ValuesOf<Fields>
}
