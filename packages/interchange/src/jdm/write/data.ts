import { NoZen, atom, commonType, isZenName, NULL, type ZenText } from './zen-text.ts'
import { variableName } from '../../names.ts'
import type { ValueType } from '../zen/text.ts'

/*
 * Nodes hand on one object. It is closed: the first node makes it of the fields that are read, so that no field of the
 * input has the name of a variable or is joined with its value. A node that sets variables which nothing before it can have
 * set passes the object on, and their members are new; else it makes the object again, since there an object is joined with
 * the one that it replaces, and null leaves what was there.
 */

/** What is known of variables at a step: those that may be set. */
export type Data = ReadonlyMap<string, { readonly type: ValueType; readonly isAlways: boolean }>

/** What is known where two ways join. */
export function joined(one: Data, other: Data): Data {
  return new Map(
    [...new Set([...one.keys(), ...other.keys()])].map((name) => {
      const [left, right] = [one.get(name), other.get(name)]
      const type = commonType(left?.type ?? 'null', right?.type ?? 'null')
      return [name, { type, isAlways: (left?.isAlways ?? false) && (right?.isAlways ?? false) }]
    }),
  )
}

/** A variable as a member of the object; of one that nothing sets, null. */
export function shownIn(known: Data, keys: Keys, name: string): ZenText {
  const found = known.get(name)
  if (found === undefined) return NULL
  return atom(keys.variable(name), found.isAlways ? found.type : commonType(found.type, 'null'))
}

/** The members of the object: fields under their own names, where they can have these, variables beside them. */
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
    if (outside === undefined) throw new NoZen('a name has both quotes')
    return this.#isOpen ? outside : atom(this.#fields.get(name) ?? name)
  }

  /** Members that the first node makes, with the fields of the input that they are. */
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

  /** A name that no other member has. */
  fresh(wanted: string): string {
    const plain = wanted.replaceAll(/\W+/g, '_')
    return variableName(isZenName(plain) ? plain : `_${plain}`, this.#taken)
  }
}

/** A field of the input itself; undefined: ZEN cannot name it. */
function outsideField(name: string): ZenText | undefined {
  if (isZenName(name)) return atom(name)
  const quote = name.includes("'") ? '"' : "'"
  return name.includes(quote) ? undefined : atom(`$root[${quote}${name}${quote}]`)
}
