import { quote } from '@engine/expression'
import { ZenSyntaxError } from './ast.ts'

/** A token of ZEN. Texts are unquoted: ZEN has no escapes. */
export interface ZenToken {
  readonly kind: 'number' | 'text' | 'template' | 'name' | 'symbol' | 'end'
  readonly text: string
  /** UTF-16 units from the start of the text. */
  readonly offset: number
}

const TOKEN =
  /\s*(?:(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)|("[^"]*"|'[^']*')|(`[^`]*`)|([A-Za-z_$#][\w$]*)|(\.\.|\?\?|==|!=|<=|>=|[-+*/%^<>!()[\]{},:.?;=]))/y

const KINDS = ['number', 'text', 'template', 'name', 'symbol'] as const

/** The tokens of a text, followed by `end`. Linear in the length of the text. Throws `ZenSyntaxError`. */
export function zenTokens(text: string): readonly ZenToken[] {
  const tokens: ZenToken[] = []
  const end = text.trimEnd().length
  let at = 0
  while (at < end) {
    TOKEN.lastIndex = at
    const found = TOKEN.exec(text)
    if (found === null) throw unreadable(text, at)
    const index = found.findIndex((group, number) => number > 0 && group !== undefined)
    const kind = KINDS[index - 1] ?? 'symbol'
    const written = found[index] ?? ''
    const isQuoted = kind === 'text' || kind === 'template'
    at = TOKEN.lastIndex
    tokens.push({ kind, text: isQuoted ? written.slice(1, -1) : written, offset: at - written.length })
  }
  return [...tokens, { kind: 'end', text: '', offset: text.length }]
}

function unreadable(text: string, at: number): ZenSyntaxError {
  const rest = text.slice(at)
  const offset = at + (rest.length - rest.trimStart().length)
  const [character = ''] = text.slice(offset)
  if (/["'`]/.test(character)) return new ZenSyntaxError('the text has no closing quotation mark', offset)
  return new ZenSyntaxError(`unexpected ${quote(character)}`, offset)
}
