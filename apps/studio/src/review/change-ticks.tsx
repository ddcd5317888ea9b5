import { useId } from 'react'
import { CodeTag } from '../ui/code-tag.tsx'
import type { ExpectableChange, Ticked } from './expected-changes.ts'
import { useReviewTexts } from './review-texts.ts'
import { codeOf, isError } from '../releases/results.ts'

interface ChangeTicksProps {
  readonly changes: readonly ExpectableChange[]
  readonly ticked: readonly Ticked[]
  readonly change: (index: number, ticked: Ticked) => void
}

/** Check boxes for changes of results that the rollout should expect, each with an optional maximum share. */
export function ChangeTicks({ changes, ticked, change }: ChangeTicksProps) {
  const texts = useReviewTexts()
  const id = useId()
  return (
    <fieldset className="change-ticks" aria-describedby={`${id}hint`}>
      <legend className="label">{texts.expected.title}</legend>
      {changes.map((one, index) => {
        const { isOn = false, limit = '' } = ticked[index] ?? {}
        const { from, to, count, total } = one
        return (
          <div key={`${from}\n${to}`} className="row wrap">
            <label className="check">
              <input
                type="checkbox"
                checked={isOn}
                onChange={({ target }) => change(index, { isOn: target.checked, limit })}
              />
              <CodeTag name={codeOf(from)} isError={isError(from)} /> → <CodeTag name={to} />
            </label>
            <span className="muted">{texts.expected.recorded(count, total, codeOf(from))}</span>
            {isOn && (
              <label className="row">
                {texts.expected.atMost}
                <input
                  className="input"
                  type="number"
                  min="0"
                  max="100"
                  step="any"
                  value={limit}
                  aria-label={texts.expected.limit(codeOf(from), to)}
                  onChange={({ target }) => change(index, { isOn, limit: target.value })}
                />
                {texts.expected.percentOf(codeOf(from))}
              </label>
            )}
          </div>
        )
      })}
      <p id={`${id}hint`} className="muted">
        {texts.expected.hint}
      </p>
    </fieldset>
  )
}
