import type { Value } from '@engine/expression'
import { pretty, short } from './json-text.ts'

/** Names with their values in one line; the title shows a long value in full. */
export function ValueList({ values }: { readonly values: { readonly [name: string]: Value } }) {
  const entries = Object.entries(values)
  if (entries.length === 0) return null
  return (
    <span className="values mono muted">
      {entries.map(([name, value], index) => (
        <span key={name} title={`${name} = ${pretty(value)}`}>
          {index > 0 && ', '}
          {name} = {short(value)}
        </span>
      ))}
    </span>
  )
}
