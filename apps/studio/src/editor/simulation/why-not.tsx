import { isObject } from '@engine/expression'
import { useState } from 'react'
import { ask } from '../../language/language.ts'
import type { LocalRun, WhyNot } from '../../language/tasks.ts'
import { useTexts } from '../../texts/texts.tsx'
import { pretty, short } from '../../ui/json-text.ts'
import { useEditor } from '../state/editor-context.ts'
import { inputOf } from '../state/simulation.ts'

interface Asked {
  readonly code: string
  readonly executed: string
  /** Undefined while computing. */
  readonly found: WhyNot | undefined
}

/** The smallest change of the executed input that leads to another result. */
export function WhyNotAnswer({ run }: { readonly run: LocalRun }) {
  const { findings: words } = useTexts()
  const { draft, surroundings, simulation, execute } = useEditor()
  const [asked, setAsked] = useState<Asked>()
  const codes = [
    ...new Set(draft.steps.flatMap((step) => (step.type === 'terminal' && step.code !== undefined ? [step.code] : []))),
  ].filter((code) => code !== run.code)
  const { executed } = simulation
  const choose = (code: string) => {
    const input = inputOf(executed)
    if (code === '' || input === undefined || !isObject(input)) return setAsked(undefined)
    setAsked({ code, executed, found: undefined })
    ask('whyNot', { draft, ...surroundings, input, code }).then(
      (found) => setAsked({ code, executed, found }),
      () => setAsked({ code, executed, found: { verdict: 'unknown', changes: [] } }),
    )
  }
  if (codes.length === 0) return null
  const shown = asked?.executed === executed ? asked : undefined
  return (
    <div className="why-not">
      <label className="row">
        <span className="label">{words.whyNot}</span>
        <select
          className="input"
          aria-label={`${words.whyNot}: ${words.whyNotCode}`}
          value={shown?.code ?? ''}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">{words.whyNotCode}</option>
          {codes.map((code) => (
            <option key={code}>{code}</option>
          ))}
        </select>
      </label>
      <div role="status">{shown !== undefined && <Answer {...shown} run={execute} />}</div>
    </div>
  )
}

function Answer({ code, found, run }: Asked & { readonly run: (input: string) => void }) {
  const { findings: words } = useTexts()
  if (found === undefined) return <span className="muted">{words.whyNotPending}</span>
  const { verdict, changes, input } = found
  if (verdict !== 'found') return <span>{verdict === 'impossible' ? words.impossible(code) : words.unknown(code)}</span>
  return (
    <>
      <span>{words.smallest(code)}</span>
      <ul>
        {changes.map(({ path, from, to, remove }) => (
          <li key={path}>
            {remove === true ? words.omitted(path, short(from)) : words.becomes(path, short(from), short(to))}
          </li>
        ))}
      </ul>
      {input !== undefined && (
        <button type="button" className="btn" onClick={() => run(pretty(input))}>
          {words.tryIt}
        </button>
      )}
    </>
  )
}
