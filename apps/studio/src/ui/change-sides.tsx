import { Expression } from './expression.tsx'
import { pretty } from './json-text.ts'

/** Members whose text is an expression, by the end of their pointer: others are names, notes and codes. */
const EXPRESSION = /\/(?:condition|value|message)$|\/cells\/[^/]+$/

interface ChangeSidesProps {
  /** Pointer to the changed value. */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
  /** Text for a missing value. */
  readonly absent: string
}

/** A value before and after a change, side by side. */
export function ChangeSides({ path, before, after, absent }: ChangeSidesProps) {
  return (
    <div className="sides" data-two="">
      {[before, after].map((value, index) => (
        <div key={index} className={index === 1 ? 'changed' : undefined}>
          {value === null || value === undefined ? (
            <i className="muted">{absent}</i>
          ) : (
            <code>{typeof value === 'string' ? textOf(path, value) : pretty(value)}</code>
          )}
        </div>
      ))}
    </div>
  )
}

const textOf = (path: string, text: string) => (EXPRESSION.test(path) ? <Expression text={text} /> : text)
