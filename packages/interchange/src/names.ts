import { refuseName } from '@engine/ruleset'

const MAX_LENGTH = 100

/**
 * The names of the rulesets of one document: of a single one the given name, of several the given name and their own,
 * each made of characters that a name may have, and none twice. In the order of `own`.
 */
export function rulesetNames(own: readonly string[], given: string | undefined): readonly string[] {
  if (given !== undefined && own.length === 1) return [given]
  const taken = new Set<string>()
  return own.map((name) => {
    const wanted = allowedName(given === undefined ? name : `${given}-${name}`)
    return unusedName(wanted, taken)
  })
}

/** A text as the name of a ruleset. */
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

/** The name, or with a number behind it when it is taken. Adds it to those that are. */
export function unusedName(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let number = 2; taken.has(name); number++) name = `${wanted}-${number}`
  taken.add(name)
  return name
}

/** A text as the name of a variable: letters of a to z, digits and `_`; none that is taken, and adds it to those. */
export function variableName(text: string, taken: Set<string>): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\W+/g, '_').slice(0, MAX_LENGTH)
  const wanted = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`
  let name = wanted
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`
  taken.add(name)
  return name
}
