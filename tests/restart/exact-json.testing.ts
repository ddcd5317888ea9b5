/**
 * The value of a JSON text, in a form in which two texts are equal when they mean the same: members by name, integers by all
 * their digits, decimals as doubles. It shares no code with the engine's readers, so that it cannot share their mistakes. An integer that a double holds exactly up to 2^53 is the same as its decimal form.
 *
 * Throws on text that is no JSON.
 */
export function canonical(text: string): string {
  return shown(valueOf(text))
}

/** As above, as a value: objects are maps, numbers their canonical text in an object of one member. */
export function valueOf(text: string): Exact {
  const reader = new Reader(text)
  const value = reader.value()
  reader.end()
  return value
}

export type Exact =
  | null
  | boolean
  | string
  | { readonly number: string }
  | readonly Exact[]
  | ReadonlyMap<string, Exact>

/** A member of an object; undefined when it is absent, or the value is not an object. */
export function member(value: Exact | undefined, name: string): Exact | undefined {
  return value instanceof Map ? (value.get(name) as Exact | undefined) : undefined
}

function shown(value: Exact): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item: Exact) => shown(item)).join(',')}]`
  if (value instanceof Map) {
    const members = Array.from(value as Map<string, Exact>, ([name, one]) => `${JSON.stringify(name)}:${shown(one)}`)
    return `{${members.sort().join(',')}}`
  }
  return (value as { readonly number: string }).number
}

const TOKEN = /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|(true|false|null))/suy

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(): Exact {
    const token = this.#next()
    if (token === '{') return this.#object()
    if (token === '[') return this.#list()
    if (token.startsWith('"')) return unescaped(token)
    if (token === 'null') return null
    if (token === 'true' || token === 'false') return token === 'true'
    if (/^[-\d]/.test(token)) return { number: numberOf(token) }
    throw new SyntaxError(`unexpected ${token} before ${this.#at}`)
  }

  end(): void {
    if (this.#text.slice(this.#at).trim() !== '') throw new SyntaxError(`more text at ${this.#at}`)
  }

  #next(): string {
    TOKEN.lastIndex = this.#at
    const found = TOKEN.exec(this.#text)
    if (found === null) throw new SyntaxError(`no JSON at ${this.#at}: ${this.#text.slice(this.#at, this.#at + 40)}`)
    this.#at = TOKEN.lastIndex
    return found[1] ?? found[2] ?? found[3] ?? found[4] ?? ''
  }

  #list(): Exact {
    const items: Exact[] = []
    if (this.#ends(']')) return items
    do items.push(this.value())
    while (this.#separated(']'))
    return items
  }

  #object(): Exact {
    const members = new Map<string, Exact>()
    if (this.#ends('}')) return members
    do {
      const name = unescaped(this.#next())
      if (this.#next() !== ':') throw new SyntaxError(`no colon before ${this.#at}`)
      members.set(name, this.value())
    } while (this.#separated('}'))
    return members
  }

  #separated(end: string): boolean {
    const token = this.#next()
    if (token !== ',' && token !== end) throw new SyntaxError(`unexpected ${token} before ${this.#at}`)
    return token === ','
  }

  #ends(end: string): boolean {
    const before = this.#at
    if (this.#next() === end) return true
    this.#at = before
    return false
  }
}

function unescaped(token: string): string {
  const short: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
  return token
    .slice(1, -1)
    .replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (_, code: string | undefined, one: string) =>
      code === undefined ? (short[one] ?? one) : String.fromCharCode(Number.parseInt(code, 16)),
    )
}

function numberOf(token: string): string {
  if (/^-?\d+$/.test(token)) return String(BigInt(token))
  const value = Number(token)
  return Number.isSafeInteger(value) ? String(BigInt(value)) : `double ${value}`
}
