import type { Assignment } from '@engine/authoring'
import { useEffect, useState } from 'react'
import { ask } from '../../language/language.ts'
import type { Tasks } from '../../language/tasks.ts'
import { pretty, short } from '../../ui/json-text.ts'
import { useEditor } from '../state/editor-context.ts'
import { useValueTexts } from './value-texts.ts'

interface ValueLineProps {
  /** Id of the step that contains the expression. */
  readonly step: string
  readonly text: string
  /** Assignments that precede the expression in its step. */
  readonly assignments: readonly Assignment[]
}

/** Maximum number of displayed characters. */
const MAX_SHOWN = 60

/**
 * The value of an expression for the input of the Try line. Renders nothing for expressions of sub-rules, which have
 * their own inputs, and nothing while the draft has errors.
 */
export function ValueLine({ step, text, assignments }: ValueLineProps) {
  const words = useValueTexts()
  const answer = useAnswer({ step, text, assignments })
  if (answer === undefined) return null
  if (answer.kind === 'missed') return <p className="value-line muted">{words.missed}</p>
  if (answer.kind === 'failed') return <p className="value-line bad">{words.failed(answer.message)}</p>
  return (
    <p className="value-line">
      <b className="mono" title={pretty(answer.value)}>
        = {short(answer.value, MAX_SHOWN)}
      </b>{' '}
      <span className="muted">{words.forInput}</span>
    </p>
  )
}

/** The value in the displayed draft; the previous value while the next is computed. */
function useAnswer({ step, text, assignments }: ValueLineProps): Tasks['evaluate']['gives'] {
  const { draft, graph, surroundings, simulation } = useEditor()
  const { input } = simulation
  const [answer, setAnswer] = useState<Tasks['evaluate']['gives']>()
  const path = `/steps/${draft.steps.findIndex(({ id }) => id === step)}`
  const isWithin = graph.within !== undefined
  const before = JSON.stringify(assignments)
  useEffect(() => {
    if (input === undefined || isWithin || text.trim() === '') {
      setAnswer(undefined)
      return
    }
    let isLatest = true
    const show = (found: Tasks['evaluate']['gives']) => {
      if (isLatest) setAnswer(found)
    }
    ask('evaluate', { draft, ...surroundings, input, text, path, assignments }).then(show, () => show(undefined))
    return () => {
      isLatest = false
    }
    // eslint-disable-next-line -- `before` stands for `assignments`, which is a new list at each rendering
  }, [draft, surroundings, input, text, path, before, isWithin])
  return answer
}
