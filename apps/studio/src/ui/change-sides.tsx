import type { ReactNode } from 'react'
import { Expression } from './expression.tsx'
import { pretty } from './json-text.ts'

/** Matches pointers to members whose text is an expression: other texts are names, notes and codes. */
const EXPRESSION = /\/(?:condition|value|message)$|\/cells\/[^/]+$/

interface ChangeSidesProps {
  /** Pointer to the changed value. */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
  /** Text for a missing value. */
  readonly absent: string
  /** Renders a value; by default as text, an expression, or JSON. */
  readonly show?: ((value: unknown) => ReactNode) | undefined
}

/** A value before and after a change, side by side. */
export function ChangeSides({ path, before, after, absent, show = (value) => plain(path, value) }: ChangeSidesProps) {
  return (
    <div className="sides" data-two="">
      {[before, after].map((value, index) => (
        <div key={index} className={index === 1 ? 'changed' : undefined}>
          {value === null || value === undefined ? <i className="muted">{absent}</i> : show(value)}
        </div>
      ))}
    </div>
  )
}

const plain = (path: string, value: unknown): ReactNode => (
  <code>{typeof value === 'string' ? textOf(path, value) : pretty(value)}</code>
)

const textOf = (path: string, text: string) => (EXPRESSION.test(path) ? <Expression text={text} /> : text)
