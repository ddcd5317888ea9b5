import { refuseName } from '@engine/ruleset'

const MAX_LENGTH = 100

/**
 * The names of a document's rulesets: the given name for a single one, the given name and their own for several,
 * restricted to valid characters and unique. In the order of `own`.
 */
export function rulesetNames(own: readonly string[], given: string | undefined): readonly string[] {
  if (given !== undefined && own.length === 1) return [given]
  const taken = new Set<string>()
  return own.map((name) => {
    const wanted = allowedName(given === undefined ? name : `${given}-${name}`)
    return unusedName(wanted, taken)
  })
}

/** A text as a valid ruleset name. */
function allowedName(text: string): string {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[-.]+/, '')
    .slice(0, MAX_LENGTH)
    .replace(/-+$/, '')
  return refuseName(name) === undefined ? name : 'ruleset'
}

/** The next number of each name that was wanted, by the set of taken names. Sets only grow: lower ones stay taken. */
const NUMBERS = new WeakMap<Set<string>, Map<string, number>>()

/** The name, with a numeric suffix if it is taken. Marks it as taken. Takes constant time on average. */
export function unusedName(wanted: string, taken: Set<string>): string {
  const numbers = NUMBERS.get(taken) ?? new Map<string, number>()
  NUMBERS.set(taken, numbers)
  let name = wanted
  let number = numbers.get(wanted) ?? 2
  for (; taken.has(name); number++) name = `${wanted}-${number}`
  numbers.set(wanted, number)
  taken.add(name)
  return name
}

/** A text as a variable name: letters a to z, digits and `_`; unique, and marked as taken. */
export function variableName(text: string, taken: Set<string>): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\W+/g, '_').slice(0, MAX_LENGTH)
  const wanted = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`
  let name = wanted
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`
  taken.add(name)
  return name
}
