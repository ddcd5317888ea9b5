import { type Token, tokenize } from '@engine/expression'
import type { ReactNode } from 'react'

/** The CSS class for a token's colour; undefined for the default text colour. */
export function tokenClass({ kind }: Token, next: Token | undefined): string | undefined {
  if (kind === 'name') return next?.text === '(' ? 'tok-function' : undefined
  return kind === 'keyword' || kind === 'number' || kind === 'string' || kind === 'variable' || kind === 'operator'
    ? `tok-${kind}`
    : undefined
}

/** Cached texts, since many are shown repeatedly: nodes of a canvas, cells of a grid. */
const shown = new Map<string, ReactNode>()
const MAX_SHOWN = 20_000

/** The text of an expression with syntax highlighting, read-only. */
export function Expression({ text }: { readonly text: string }): ReactNode {
  const known = shown.get(text)
  if (known !== undefined) return known
  if (shown.size >= MAX_SHOWN) shown.clear()
  const coloured = colour(text)
  shown.set(text, coloured)
  return coloured
}

function colour(text: string): ReactNode {
  const { tokens } = tokenize(text)
  const parts: ReactNode[] = []
  let at = 0
  for (const [index, token] of tokens.entries()) {
    if (token.start > at) parts.push(text.slice(at, token.start))
    const name = tokenClass(token, tokens[index + 1])
    const piece = text.slice(token.start, token.end)
    if (piece !== '')
      parts.push(
        name === undefined ? (
          piece
        ) : (
          <span key={token.start} className={name}>
            {piece}
          </span>
        ),
      )
    at = token.end
  }
  return <>{parts}</>
}
