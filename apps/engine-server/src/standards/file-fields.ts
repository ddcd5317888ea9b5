import { isList, isObject, nearest, type ObjectValue, quote, type Value } from '@engine/expression'
import { describe } from '../errors.ts'

/** A configuration file has faults. The message names all of them with their locations. */
export class ConfigurationFileError extends Error {}

/** Maximum number of faults that are named. */
const MAX_FAULTS = 20
/** Maximum number of characters of a text in a configuration file. */
const MAX_TEXT_CHARACTERS = 1024
/** Maximum number of items of a list in a configuration file. */
const MAX_ITEMS = 1000

/** Reads the members of a configuration file, and collects its faults. */
export class FileFields {
  readonly #faults: string[] = []

  /** @param place location in the notation of users: `rules[2].permit` */
  fault(place: string, message: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(place === '' ? message : `${quote(place)} ${message}`)
  }

  /** Throws `ConfigurationFileError` if there was a fault. */
  refuseFaults(): void {
    if (this.#faults.length > 0) throw new ConfigurationFileError(this.#faults.join('; '))
  }

  /** The members of an object. Unknown members are faults. Any other value is a fault and has no members. */
  members<Name extends string>(
    value: Value | undefined,
    place: string,
    known: readonly Name[],
  ): { readonly [name in Name]?: Value } {
    if (!isObject(value)) {
      this.fault(place, `${place === '' ? 'the file ' : ''}must be an object, found ${describe(value)}`)
      return {}
    }
    for (const name of Object.keys(value)) {
      if (known.some((one) => one === name)) continue
      const guess = nearest(name, known)
      const hint =
        guess === undefined
          ? `: there are ${known.map((one) => quote(one)).join(', ')}`
          : `: did you mean ${quote(guess)}?`
      this.fault(within(place, name.slice(0, 80)), `is unknown${hint}`)
    }
    return value as ObjectValue & { readonly [name in Name]?: Value }
  }

  /** A text; undefined if it is missing or of another type. */
  text(value: Value | undefined, place: string): string | undefined {
    if (value === undefined) return undefined
    if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_CHARACTERS) return value
    this.fault(place, `must be a string of 1 to ${MAX_TEXT_CHARACTERS} characters, found ${shown(value)}`)
    return undefined
  }

  /** A required text; empty after a fault. */
  requiredText(value: Value | undefined, place: string): string {
    if (value === undefined) this.fault(place, 'is missing')
    return this.text(value, place) ?? ''
  }

  /** A list of texts without repetition; undefined if it is missing or of another type. */
  texts(value: Value | undefined, place: string): readonly string[] | undefined {
    if (value === undefined) return undefined
    if (!isList(value) || value.length === 0 || value.length > MAX_ITEMS) {
      this.fault(place, `must be a list of 1 to ${MAX_ITEMS} strings, found ${shown(value)}`)
      return undefined
    }
    const texts = value.map((item, index) => this.text(item, `${place}[${index}]`) ?? '')
    const twice = texts.findIndex((text, index) => text !== '' && texts.indexOf(text) < index)
    if (twice >= 0) this.fault(`${place}[${twice}]`, `repeats ${quote(texts[twice] ?? '')}`)
    return texts
  }

  /** A list of anything; empty after a fault. */
  items(value: Value | undefined, place: string): readonly Value[] {
    if (value === undefined) this.fault(place, 'is missing')
    else if (!isList(value) || value.length === 0 || value.length > MAX_ITEMS)
      this.fault(place, `must be a list of 1 to ${MAX_ITEMS} items, found ${shown(value)}`)
    else return value
    return []
  }

  /** An integer within bounds, or the default. */
  integer(value: Value | undefined, place: string, low: number, high: number, initial: number): number {
    if (value === undefined) return initial
    if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) return value
    this.fault(place, `must be a whole number from ${low} to ${high}, found ${shown(value)}`)
    return initial
  }

  /** One of several words; undefined if it is missing or invalid. */
  word<const Word extends string>(value: Value | undefined, place: string, words: readonly Word[]): Word | undefined {
    if (value === undefined) return undefined
    const found = words.find((word) => word === value)
    if (found === undefined)
      this.fault(place, `must be one of ${words.map((word) => quote(word)).join(', ')}, found ${shown(value)}`)
    return found
  }
}

/** The location of a member. */
export const within = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`)

/** A value in a message, with long texts shortened. */
function shown(value: Value): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : describe(value.slice(0, 80))
  return isList(value) ? `a list of ${value.length}` : describe(value)
}
