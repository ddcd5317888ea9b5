import type { Value } from './value.ts'

/** A part of a path: the name of a member, the index of an item, or all of them. */
export type Part = string | number | typeof ALL
export const ALL = Symbol('*')

export type Expression =
  | { readonly kind: 'literal'; readonly value: Value }
  /** `root` undefined: a field of the input, or a parameter in scope; '': the whole input; else a variable. */
  | { readonly kind: 'path'; readonly root: string | undefined; readonly parts: readonly Part[] }
  | { readonly kind: 'member'; readonly of: Expression; readonly parts: readonly Part[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Expression])[] }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Expression }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'if'; readonly test: Expression; readonly consequent: Expression; readonly otherwise: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'lambda'; readonly names: readonly string[]; readonly body: Expression }

interface Token {
  readonly kind: 'number' | 'string' | 'name' | 'variable' | 'sign' | 'end'
  readonly text: string
  readonly value: Value
}

const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<variable>\$(?:[\p{L}_][\p{L}\p{N}_]*)?)|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<sign>=>|==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]{}]))/suy

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

function textOf(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (_, code: string | undefined, one: string) =>
      code === undefined ? (ESCAPES[one] ?? one) : String.fromCharCode(Number.parseInt(code, 16)),
    )
}

/** "An integer beyond ±(2^53 − 1) stays exact. `1e20`, written with an exponent, is a double." */
function numberOf(text: string): number | bigint {
  if (!/^\d+$/.test(text)) return Number(text)
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    if (/^\s*$/.test(text.slice(TOKEN.lastIndex))) break
    const at = TOKEN.lastIndex
    const groups = TOKEN.exec(text)?.groups
    if (groups === undefined) throw new SyntaxError(`no token at ${at} of ${text}`)
    const [kind, found] = Object.entries(groups).find(([, one]) => one !== undefined) as [Token['kind'], string]
    // Behind a dot each number is one part of a path: `list.0.1`.
    const isPart = kind === 'number' && tokens.at(-1)?.text === '.'
    const own = isPart ? (/^\d+/.exec(found)?.[0] ?? found) : found
    if (own !== found) TOKEN.lastIndex -= found.length - own.length
    const value = kind === 'number' ? numberOf(own) : kind === 'string' ? textOf(own) : null
    tokens.push({ kind, text: own, value })
  }
  return [...tokens, { kind: 'end', text: '', value: null }]
}

/** Operators of two operands, the loosest first; those of a level are taken from left to right. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>='],
  ['in', 'not in', 'contains'],
  ['+', '-'],
  ['*', '/', '%'],
]
const SPELLED: Readonly<Record<string, string>> = { or: '||', and: '&&' }
const LITERALS: Readonly<Record<string, Value>> = { true: true, false: false, null: null }

/** Reads the text of an expression. Throws `SyntaxError`. */
export function parse(text: string): Expression {
  const tokens = tokensOf(text)
  let at = 0
  const peek = (offset = 0): Token => tokens[at + offset] ?? (tokens.at(-1) as Token)
  const is = (sign: string, offset = 0) => peek(offset).kind !== 'string' && peek(offset).text === sign
  const take = (sign: string): boolean => {
    if (!is(sign)) return false
    at++
    return true
  }
  const need = (sign: string) => {
    if (!take(sign)) throw new SyntaxError(`expected ${sign} before ${peek().text} in ${text}`)
  }

  function expression(): Expression {
    if (take('if')) {
      const test = expression()
      need('then')
      const consequent = expression()
      need('else')
      return { kind: 'if', test, consequent, otherwise: expression() }
    }
    const test = level(0)
    if (!take('?')) return test
    const consequent = expression()
    need(':')
    return { kind: 'if', test, consequent, otherwise: expression() }
  }

  function level(index: number): Expression {
    const own = LEVELS[index]
    if (own === undefined) return unary()
    let left = level(index + 1)
    for (let operator = operatorOf(own); operator !== undefined; operator = operatorOf(own))
      left = { kind: 'binary', operator, left, right: level(index + 1) }
    return left
  }

  function operatorOf(own: readonly string[]): string | undefined {
    if (peek().kind !== 'sign' && peek().kind !== 'name') return undefined
    const isNotIn = is('not') && is('in', 1)
    const operator = isNotIn ? 'not in' : (SPELLED[peek().text] ?? peek().text)
    if (!own.includes(operator)) return undefined
    at += isNotIn ? 2 : 1
    return operator
  }

  function unary(): Expression {
    if (take('!') || take('not')) return { kind: 'unary', operator: '!', operand: unary() }
    if (take('-')) return { kind: 'unary', operator: '-', operand: unary() }
    return member(primary())
  }

  function member(of: Expression): Expression {
    const parts = partsHere()
    if (parts.length === 0) return of
    return of.kind === 'path' ? { ...of, parts: [...of.parts, ...parts] } : { kind: 'member', of, parts }
  }

  function partsHere(): readonly Part[] {
    const parts: Part[] = []
    for (;;) {
      if (take('.')) {
        if (take('*')) parts.push(ALL)
        else {
          const { kind, value, text: name } = tokens[at++] as Token
          parts.push(kind === 'number' ? Number(value) : name)
        }
      } else if (take('[')) {
        const sign = take('-') ? -1 : 1
        if (take('*')) parts.push(ALL)
        else {
          const { kind, value } = tokens[at++] as Token
          parts.push(kind === 'string' ? (value as string) : sign * Number(value))
        }
        need(']')
      } else return parts
    }
  }

  function primary(): Expression {
    const { kind, text: own, value } = peek()
    at++
    if (kind === 'number' || kind === 'string') return { kind: 'literal', value }
    if (kind === 'variable') return { kind: 'path', root: own.slice(1), parts: [] }
    if (kind === 'name') {
      if (Object.hasOwn(LITERALS, own)) return { kind: 'literal', value: LITERALS[own] as Value }
      if (take('(')) return { kind: 'call', name: own, args: listed(')', argument) }
      return { kind: 'path', root: undefined, parts: [own] }
    }
    if (own === '(') {
      const inner = expression()
      need(')')
      return inner
    }
    if (own === '[') return { kind: 'list', items: listed(']', expression) }
    if (own === '{') return { kind: 'object', members: listed('}', entry) }
    throw new SyntaxError(`unexpected ${own} in ${text}`)
  }

  function listed<Item>(end: string, item: () => Item): readonly Item[] {
    const items: Item[] = []
    while (!take(end)) {
      items.push(item())
      if (!is(end)) need(',')
    }
    return items
  }

  function entry(): readonly [string, Expression] {
    const { kind, value, text: name } = tokens[at++] as Token
    need(':')
    return [kind === 'string' ? (value as string) : name, expression()]
  }

  function argument(): Expression {
    const start = at
    const names: string[] = []
    if (take('(')) {
      while (peek().kind === 'name') {
        names.push((tokens[at++] as Token).text)
        take(',')
      }
      if (take(')') && take('=>')) return { kind: 'lambda', names, body: expression() }
    } else if (peek().kind === 'name' && is('=>', 1)) {
      names.push((tokens[at] as Token).text)
      at += 2
      return { kind: 'lambda', names, body: expression() }
    }
    at = start
    return expression()
  }

  const whole = expression()
  if (peek().kind !== 'end') throw new SyntaxError(`expected the end before ${peek().text} in ${text}`)
  return whole
}
