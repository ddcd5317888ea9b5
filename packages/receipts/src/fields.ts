import { isObject, type ObjectValue, type Value } from '@engine/expression'
import { canonicalText, commitmentOf, createSalt, type SaltedText } from './commitment.ts'
import { isCommitment } from './receipt.ts'

/** The names of a field path such as `customer.id`, in the notation of `config.receipt_fields`. */
export const namesOf = (path: string): readonly string[] => path.split('.')

/** An input without the fields that have their own commitments. */
export interface SeparatedInput {
  /** Each field that exists is `{"$commitment": "…"}`. */
  readonly input: ObjectValue
  readonly fields: { readonly [path: string]: SaltedText }
}

/**
 * Replaces fields of an input by commitments to them. The input is not changed; paths to missing fields are skipped.
 * Copies the members of the objects on the path to each field.
 */
export function separateFields(
  input: ObjectValue,
  paths: readonly string[],
  salt: () => string = createSalt,
): SeparatedInput {
  const fields: { [path: string]: SaltedText } = {}
  let separated = input
  for (const path of paths) {
    const names = namesOf(path)
    const value = valueAt(input, names)
    if (value === undefined) continue
    const salted: SaltedText = [salt(), canonicalText(value)]
    fields[path] = salted
    separated = replaced(separated, names, { $commitment: commitmentOf(salted) })
  }
  return { input: separated, fields }
}

/** The value at a path of names; undefined if it does not exist. */
function valueAt(input: Value, names: readonly string[]): Value | undefined {
  let value: Value | undefined = input
  for (const name of names) {
    if (value === undefined || !isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

/** A copy with another value at a path that exists. */
export function replaced(input: ObjectValue, names: readonly string[], value: Value): ObjectValue {
  const [name = '', ...rest] = names
  const inner = rest.length === 0 ? value : replaced(input[name] as ObjectValue, rest, value)
  return Object.fromEntries(Object.entries(input).map(([key, member]) => [key, key === name ? inner : member]))
}

/** The commitment at a path of a separated input; undefined if there is none. */
export function commitmentAt(input: Value, path: string): string | undefined {
  const value = valueAt(input, namesOf(path))
  return isCommitment(value) ? value.$commitment : undefined
}
