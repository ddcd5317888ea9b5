import type { Problem } from '@engine/authoring'
import { useCallback, useRef } from 'react'

/** Cycles through the problems of the draft. */
export function useNextProblem(problems: readonly Problem[], showAt: (path: string) => void): (way: 1 | -1) => void {
  const at = useRef(-1)
  const known = useRef(problems)
  if (known.current !== problems) {
    known.current = problems
    // When the problems have changed, the cycle continues at the same position.
    at.current = Math.min(at.current, problems.length - 1)
  }
  return useCallback(
    (way) => {
      if (problems.length === 0) return
      const from = at.current < 0 && way < 0 ? 0 : at.current
      at.current = (from + way + problems.length) % problems.length
      const problem = problems[at.current]
      if (problem !== undefined) showAt(problem.path)
    },
    [problems, showAt],
  )
}
