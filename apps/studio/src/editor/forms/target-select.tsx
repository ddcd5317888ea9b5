import type { DraftStep } from '@engine/authoring'
import { useState } from 'react'
import { stepChoice } from '../../graph-editor/step-name.ts'
import { useTexts } from '../../texts/texts.tsx'

/**
 * With more steps than this, a list of options is rendered only when it is opened: a decision with ten branches would
 * otherwise render every step ten times.
 */
const MAX_EAGER_STEPS = 100

interface TargetSelectProps {
  readonly steps: readonly DraftStep[]
  /** The step of the exit. */
  readonly own: string
  /** Empty if the exit has no target. */
  readonly target: string
  /** Undefined: read-only. */
  readonly change: ((target: string | undefined) => void) | undefined
}

/** A select box for the target of an exit. */
export function TargetSelect({ steps, own, target, change }: TargetSelectProps) {
  const { editor } = useTexts()
  const [isUsed, use] = useState(false)
  const begin = () => use(true)
  const shown = isUsed || steps.length < MAX_EAGER_STEPS ? steps : steps.filter(({ id }) => id === target)
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
        .map((step) => (
          <option key={step.id} value={step.id}>
            {stepChoice(step)}
          </option>
        ))}
    </select>
  )
}
