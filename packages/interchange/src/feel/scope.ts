import type { Feel } from './ast.ts'
import { type ModelFunction, shapeOfFeel } from './expansion.ts'
import { type FeelShape, shapeAt, typeOfShape } from './shape.ts'

/** The meaning of a name in a model. */
export interface FeelName {
  readonly name: string
  /** The field of an input or a decision's variable, or the expression of a parameter or a context entry. */
  readonly target:
    | { readonly kind: 'input'; readonly field: string }
    | { readonly kind: 'variable'; readonly variable: string }
    | { readonly kind: 'bound'; readonly value: Feel }
  /** The type name in the model. */
  readonly reference?: string | undefined
  /** The shape of its value, or of a member. */
  shapeOf(members: readonly string[]): FeelShape | undefined
  /** The FEEL type of its value, or of a member, without a prefix, such as `number`; undefined: undeclared. */
  typeOf(members: readonly string[]): string | undefined
  /** The type of its items, if it is known to be a list. */
  readonly items: string | undefined
}

/**
 * The names in scope of a decision's expressions. FEEL names may contain blanks and operators, so only the known names
 * determine where a name ends.
 */
export class FeelScope {
  readonly #byFirstWord = new Map<string, string[]>()
  readonly #names = new Map<string, FeelName>()
  readonly #undeclared = new Set<string>()
  readonly #members: ReadonlySet<string>
  readonly #functions: ReadonlyMap<string, ModelFunction>
  /** True if a name that is not in scope is an error: a function cannot read inputs. */
  readonly isClosed: boolean
  /** The scope for paths: names of parameters and entries are replaced by expressions in it. */
  readonly #outer: FeelScope | undefined

  /** `members`: names of the members of values. */
  constructor(
    names: Iterable<FeelName>,
    members: ReadonlySet<string> = new Set(),
    functions: ReadonlyMap<string, ModelFunction> = new Map(),
    isClosed = false,
    outer?: FeelScope,
  ) {
    this.#outer = outer
    this.#members = members
    this.#functions = functions
    this.isClosed = isClosed
    for (const name of functions.keys()) this.#index(name)
    for (const one of names) this.add(one)
    for (const member of members) this.#index(member)
  }

  /** Adds a name, which hides an equal one. */
  add(one: FeelName): void {
    this.#names.set(one.name, one)
    this.#index(one.name)
  }

  #index(name: string): void {
    const [word] = /^[\p{L}\p{N}_]+/u.exec(name) ?? []
    if (word === undefined || word === name) return
    const list = this.#byFirstWord.get(word) ?? []
    this.#byFirstWord.set(word, list)
    if (list.includes(name)) return
    // Longest name first.
    const shorter = list.findIndex((other) => other.length < name.length)
    list.splice(shorter < 0 ? list.length : shorter, 0, name)
  }

  /** A scope with additional names, which hide equal ones of this scope. */
  with(names: Iterable<FeelName>, functions: ReadonlyMap<string, ModelFunction> = new Map()): FeelScope {
    const all = [...this.#names.values(), ...names]
    const merged = new Map([...this.#functions, ...functions])
    return new FeelScope(all, this.#members, merged, this.isClosed, this.#outer ?? this)
  }

  functionNamed(name: string): ModelFunction | undefined {
    return this.#functions.get(name)
  }

  /** The shape of the value at a path of an expression. */
  readonly shapeOf = (name: string, members: readonly string[]): FeelShape | undefined => {
    const own = this.#names.get(name)
    return own === undefined || own.target.kind === 'bound' ? this.#outer?.shapeOf(name, members) : own.shapeOf(members)
  }

  named(name: string): FeelName | undefined {
    return this.#names.get(name)
  }

  /** The undeclared names that were not returned by an earlier call. */
  newlyUndeclared(names: Iterable<string>): readonly string[] {
    return Array.from(names).filter((name) => {
      const isNew = !this.#names.has(name) && !this.#undeclared.has(name)
      if (isNew) this.#undeclared.add(name)
      return isNew
    })
  }

  /** The longest known name that starts at an offset with a word; undefined when none is longer than the word. */
  longest(text: string, offset: number, word: string): string | undefined {
    return this.#byFirstWord.get(word)?.find((name) => {
      const end = offset + name.length
      return text.startsWith(name, offset) && !/[\p{L}\p{N}_]/u.test(text[end] ?? '')
    })
  }
}

/** The name of a parameter or a context entry, which stands for an expression in the outer scope. */
export function boundName(name: string, value: Feel, outer: FeelScope): FeelName {
  const shapeOf = (members: readonly string[]) => shapeAt(shapeOfFeel(value, outer.shapeOf), members)
  return {
    name,
    target: { kind: 'bound', value },
    shapeOf,
    typeOf: (members) => typeOfShape(shapeOf(members)),
    items: undefined,
  }
}
