import type { Assignment } from '@engine/authoring'
import { useEffect, useState } from 'react'
import { ask } from '../../language/language.ts'
import type { Tasks } from '../../language/tasks.ts'
import { pretty, short } from '../../ui/json-text.ts'
import { useEditor } from '../state/editor-context.ts'
import { useValueTexts } from './value-texts.ts'

interface ValueLineProps {
  /** Id of the step of the expression. */
  readonly step: string
  readonly text: string
  /** Assignments that the step makes earlier. */
  readonly assignments: readonly Assignment[]
}

/** Characters of a value in one line. */
const MAX_SHOWN = 60

/**
 * What an expression evaluates to for the input of the Try line. Sub-rules have their own inputs: nothing is shown for their
 * expressions, nor while the draft has errors.
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

/** The value in the draft on the screen; the last one until the next is known. */
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
