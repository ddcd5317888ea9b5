import type { Expectation } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'
import { useTexts } from '../texts/texts.tsx'
import { short } from '../ui/json-text.ts'
import { expectedParts } from './expected-parts.ts'
import type { Outcome } from './expectation.ts'

/** Each expected part of a failed test next to the actual result, with differences marked. */
export function DifferenceTable({
  expect,
  outcome,
  failures,
}: {
  readonly expect: Expectation
  readonly outcome: Outcome
  readonly failures: readonly string[]
}) {
  const { savedTests: texts } = useTexts()
  const parts = expectedParts(expect, outcome)
  if (parts.every(({ isSame }) => isSame))
    return (
      <ul className="test-failures">
        {failures.map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    )
  return (
    <table className="differences">
      <thead>
        <tr>
          <th scope="col">{texts.field}</th>
          <th scope="col">{texts.expected}</th>
          <th scope="col">{texts.got}</th>
        </tr>
      </thead>
      <tbody>
        {parts.map(({ part, field, expected, got, isSame }) => (
          <tr key={`${part} ${field ?? ''}`}>
            <th scope="row">{field ?? texts.parts[part]}</th>
            <td data-title={texts.expected}>
              <Shown value={expected} />
            </td>
            <td data-title={texts.got} data-different={isSame ? undefined : ''}>
              <Shown value={got} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Shown({ value }: { readonly value: Value | undefined }) {
  const { savedTests: texts } = useTexts()
  if (value === undefined || value === null) return <i>{texts.notSet}</i>
  return isObject(value) || Array.isArray(value) ? (
    <code>{short(value, 120)}</code>
  ) : (
    <span>{typeof value === 'string' ? value : short(value)}</span>
  )
}
