import type { DraftStep } from '@engine/authoring'
import { useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'

/** Steps from which on a choice is made when it is used: a decision of ten branches would have ten times all steps. */
const MANY = 100

interface TargetSelectProps {
  readonly steps: readonly DraftStep[]
  /** The step that the way leaves. */
  readonly own: string
  /** Empty: it leads nowhere. */
  readonly target: string
  /** Undefined: nothing may be changed. */
  readonly change: ((target: string | undefined) => void) | undefined
}

/** The choice of the step that a way leads to. */
export function TargetSelect({ steps, own, target, change }: TargetSelectProps) {
  const { editor } = useTexts()
  const [isUsed, use] = useState(false)
  const begin = () => use(true)
  const shown = isUsed || steps.length < MANY ? steps : steps.filter(({ id }) => id === target)
  return (
    <select
      className="input"
      value={target}
      disabled={change === undefined}
      onPointerEnter={begin}
      onFocus={begin}
      onBlur={() => use(false)}
      onChange={({ target: { value } }) => change?.(value === '' ? undefined : value)}
    >
      <option value="">{editor.nowhere}</option>
      {shown
        .filter(({ id }) => id !== own)
        .map(({ id, name }) => (
          <option key={id} value={id}>
            {name ?? id}
          </option>
        ))}
    </select>
  )
}
