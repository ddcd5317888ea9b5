import { intendedPlace, type DraftRuleset } from '@engine/authoring'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ask } from '../../language/language.ts'
import type { DraftFinding, Findings, Surroundings, Tasks } from '../../language/tasks.ts'
import type { SavedTest } from '../../saved-tests/saved-test.ts'

/** Delay before a changed draft is analysed, so that it is rendered first. */
const ANALYSIS_DELAY_MS = 16

export interface FindingsState extends Findings {
  /** True if the displayed draft is newer than its findings. */
  readonly isPending: boolean
  /** The reason why the draft could not be analysed. */
  readonly failure: string | undefined
  /** Number of intended findings. */
  readonly hidden: number
  /** Findings of severity info, which `findings` omits. */
  readonly remarks: readonly DraftFinding[]
}

type Subject = Tasks['findings']['takes']

/** The last result, with the draft that it belongs to; undefined before the first. */
interface Found {
  readonly of: Subject | undefined
  readonly findings: Findings
  readonly failure: string | undefined
}

const NOTHING: Findings = { findings: [], open: 0, inputs: new Map() }

/** The findings of the draft, computed in a worker. While an analysis runs, only the newest draft is queued. */
export function useFindings(
  draft: DraftRuleset,
  surroundings: Surroundings,
  cases: readonly SavedTest[],
  isReady: boolean,
): FindingsState {
  const [found, setFound] = useState<Found>({ of: undefined, findings: NOTHING, failure: undefined })
  const subject = useMemo<Subject>(
    () => ({ draft, ...surroundings, samples: cases.map(({ input }) => input) }),
    [draft, surroundings, cases],
  )
  const latest = useRef(subject)
  const isRunning = useRef(false)
  useEffect(() => {
    latest.current = subject
    if (!isReady) return
    const analyse = async () => {
      if (isRunning.current) return
      isRunning.current = true
      try {
        let done: Subject | undefined
        while (done !== latest.current) {
          done = latest.current
          setFound(await analysed(done))
        }
      } finally {
        isRunning.current = false
      }
    }
    const timer = setTimeout(() => void analyse(), ANALYSIS_DELAY_MS)
    return () => clearTimeout(timer)
  }, [subject, isReady])
  return useMemo(() => {
    const { findings, of, failure } = found
    const shown = findings.findings.filter((one) => !isIntended(one, draft))
    return {
      ...findings,
      findings: shown.filter(({ severity }) => severity !== 'info'),
      remarks: shown.filter(({ severity }) => severity === 'info'),
      failure,
      hidden: findings.findings.length - shown.length,
      isPending: of !== subject,
    }
  }, [found, draft, subject])
}

async function analysed(subject: Subject): Promise<Found> {
  try {
    return { of: subject, findings: await ask('findings', subject), failure: undefined }
  } catch (error) {
    return { of: subject, findings: NOTHING, failure: error instanceof Error ? error.message : String(error) }
  }
}

function isIntended({ kind, path }: DraftFinding, draft: DraftRuleset): boolean {
  const { intended = [] } = draft.config
  if (intended.length === 0) return false
  const place = intendedPlace(path, draft)
  return intended.some((one) => one.finding === kind && one.place === place)
}
