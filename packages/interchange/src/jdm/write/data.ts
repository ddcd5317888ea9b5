import { NoZen, atom, commonType, isZenName, NULL, type ZenText } from './zen-text.ts'
import { variableName } from '../../names.ts'
import type { ValueType } from '../zen/text.ts'

/*
 * Nodes pass on one object. It is closed: the first node builds it from the fields that are read, so that no input
 * field collides with a variable. A node that only sets new variables passes the object on and adds members; otherwise
 * it rebuilds the object, since ZEN would merge an old and a new object, and null would keep the old value.
 */

/** Known state of variables at a step: those that may be set. */
export type Data = ReadonlyMap<string, { readonly type: ValueType; readonly isAlways: boolean }>

/** The merged state of two paths. */
export function joined(one: Data, other: Data): Data {
  return new Map(
    [...new Set([...one.keys(), ...other.keys()])].map((name) => {
      const [left, right] = [one.get(name), other.get(name)]
      const type = commonType(left?.type ?? 'null', right?.type ?? 'null')
      return [name, { type, isAlways: (left?.isAlways ?? false) && (right?.isAlways ?? false) }]
    }),
  )
}

/** A variable as a member of the object; null when it is never set. */
export function shownIn(known: Data, keys: Keys, name: string): ZenText {
  const found = known.get(name)
  if (found === undefined) return NULL
  return atom(keys.variable(name), found.isAlways ? found.type : commonType(found.type, 'null'))
}

/** The members of the object: fields under their own names where possible, and variables. */
export class Keys {
  readonly #taken = new Set<string>()
  readonly #fields: ReadonlyMap<string, string>
  readonly #variables = new Map<string, string>()
  readonly #isOpen: boolean

  /** `isOpen`: no step sets anything, and the object is the input itself. */
  constructor(fields: ReadonlySet<string>, isOpen: boolean) {
    this.#isOpen = isOpen
    const names = [...fields].filter((name) => outsideField(name) !== undefined)
    for (const name of names) if (isZenName(name)) this.#taken.add(name)
    this.#fields = new Map(names.map((name) => [name, isZenName(name) ? name : this.fresh(name)]))
  }

  /** Throws `NoZen`. */
  field(name: string): ZenText {
    const outside = outsideField(name)
    if (outside === undefined) throw new NoZen('a name contains both kinds of quotes')
    return this.#isOpen ? outside : atom(this.#fields.get(name) ?? name)
  }

  /** Members that the first node builds from input fields. */
  get fields(): readonly (readonly [key: string, field: string])[] {
    return [...this.#fields].map(([name, key]) => [key, outsideField(name)?.text ?? name])
  }

  variable(name: string): string {
    const known = this.#variables.get(name)
    if (known !== undefined) return known
    const key = this.fresh(name)
    this.#variables.set(name, key)
    return key
  }

  /** A member name that is not taken. */
  fresh(wanted: string): string {
    const plain = wanted.replaceAll(/\W+/g, '_')
    return variableName(isZenName(plain) ? plain : `_${plain}`, this.#taken)
  }
}

/** A field of the input itself; undefined when ZEN cannot name it. */
function outsideField(name: string): ZenText | undefined {
  if (isZenName(name)) return atom(name)
  const quote = name.includes("'") ? '"' : "'"
  return name.includes(quote) ? undefined : atom(`$root[${quote}${name}${quote}]`)
}
