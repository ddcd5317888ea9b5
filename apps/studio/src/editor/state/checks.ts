import type { Case, DraftRuleset, Problem } from '@engine/authoring'
import { useEffect, useState } from 'react'
import { ask } from '../../language/language.ts'
import type { LocalCase, LocalCoverage, Surroundings } from '../../language/tasks.ts'

/** Debounce delay before a changed draft is checked. */
const CHECK_DELAY_MS = 250

export interface Checks {
  readonly problems: readonly Problem[]
  /**
   * Results of the saved cases with the current draft; undefined if they have not run yet, or the draft cannot be
   * executed.
   */
  readonly cases: readonly LocalCase[] | undefined
  /** Coverage of the saved cases; undefined as above. */
  readonly coverage: LocalCoverage | undefined
}

/** Problems and case results of a draft, computed in a worker after each change. */
export function useChecks(
  draft: DraftRuleset,
  surroundings: Surroundings,
  cases: readonly Case[],
  /** True once the surroundings are loaded: without them, references to them would be problems. */
  isReady: boolean,
): Checks {
  const [checks, setChecks] = useState<Checks>({ problems: [], cases: undefined, coverage: undefined })
  useEffect(() => {
    if (!isReady) return
    let isCurrent = true
    const timer = setTimeout(() => {
      const subject = { draft, ...surroundings }
      void Promise.all([
        ask('validate', subject),
        cases.length === 0 ? undefined : ask('cases', { ...subject, cases }),
      ]).then(
        ([problems, ran]) => {
          if (!isCurrent) return
          const done = ran?.kind === 'ran' ? ran : undefined
          setChecks({ problems, cases: done?.cases, coverage: done })
        },
        (error: Error) =>
          isCurrent &&
          setChecks({
            problems: [{ path: '', code: 'not-checked', message: error.message, severity: 'warning' }],
            cases: undefined,
            coverage: undefined,
          }),
      )
    }, CHECK_DELAY_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [draft, surroundings, cases, isReady])
  return checks
}
