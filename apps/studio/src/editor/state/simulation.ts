import type { CaseStubs } from '@engine/analysis'
import type { Case, DraftRuleset } from '@engine/authoring'
import { isObject, numbersOf, parseJson, type Value } from '@engine/expression'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { ask } from '../../language/language.ts'
import type { LocalRun, Surroundings } from '../../language/tasks.ts'
import { pretty } from '../../ui/json-text.ts'
import { errorOf } from '../../api/errors.ts'

type Input = { readonly [key: string]: Value }

export interface Simulation {
  /** The text of the input; it may be invalid JSON while the user types. */
  readonly text: string
  readonly input: Input | undefined
  readonly run: LocalRun | undefined
  /** The executed input as text. */
  readonly executed: string
  /** Answers to external calls; a call without an answer fails. */
  readonly stubs: CaseStubs
  /** Number of displayed steps: fewer than all while the user steps through the execution. */
  readonly shown: number
  /** The reason why nothing was executed. */
  readonly refusal: string | undefined
  write(text: string): void
  /** @param stubs default: those of the last execution */
  execute(text?: string, stubs?: CaseStubs): Promise<void>
  /** Show the execution up to a step, counted from 1. */
  stepTo(shown: number): void
  clear(): void
}

const NO_STUBS: CaseStubs = {}

/** Debounce delay before a displayed execution is updated after a change of the draft. */
const UPDATE_DELAY_MS = 200

/** Executions of the displayed draft in the browser: nothing is sent. */
export function useSimulation(
  draft: DraftRuleset,
  /** The current draft, which may not be rendered yet. */
  current: () => DraftRuleset,
  surroundings: Surroundings,
  cases: readonly Case[],
  /** True once everything that an execution needs is loaded; earlier requests wait for it. */
  isReady: boolean,
): Simulation {
  const [written, write] = useState<string>()
  const [run, setRun] = useState<LocalRun>()
  const [executed, setExecuted] = useState('')
  const [answers, answer] = useState<CaseStubs>()
  const stubs = answers ?? cases[0]?.stubs ?? NO_STUBS
  const [shown, stepTo] = useState(0)
  const [refusal, setRefusal] = useState<string>()
  const text = written ?? pretty(cases[0]?.input ?? draft.samples?.[0]?.input ?? {})
  const input = useMemo(() => inputOf(text), [text])
  const [wanted, want] = useState<{ readonly text: string | undefined; readonly stubs: CaseStubs | undefined }>()
  const started = useRef<DraftRuleset>(undefined)
  const executeInput = useCallback(
    async (given: string, taken: CaseStubs) => {
      const executing = current()
      started.current = executing
      const read = parseJson(given, { duplicateKeys: 'refuse', numbers: numbersOf(executing) })
      if (read.kind === 'failed') {
        setRefusal(read.problem.message)
        return
      }
      try {
        const outcome = await ask('run', { draft: executing, ...surroundings, input: read.value, stubs: taken })
        // A later change has already been executed.
        if (started.current !== executing) return
        setRun(outcome.kind === 'ran' ? outcome.run : undefined)
        setExecuted(given)
        stepTo(outcome.kind === 'ran' ? outcome.run.steps.length : 0)
        setRefusal(
          outcome.kind === 'ran'
            ? undefined
            : (outcome.problems.find(({ severity }) => severity === 'error')?.message ?? ''),
        )
      } catch (error) {
        setRefusal(errorOf(error).message)
      }
    },
    [current, surroundings],
  )
  const execute = useCallback(
    async (asked?: string, taken = stubs) => {
      if (!isReady) {
        want({ text: asked, stubs: taken })
        return
      }
      const given = asked ?? text
      write(given)
      answer(taken)
      await executeInput(given, taken)
    },
    [executeInput, text, stubs, isReady],
  )
  useEffect(() => {
    if (!isReady || wanted === undefined) return
    want(undefined)
    void execute(wanted.text, wanted.stubs)
  }, [isReady, wanted, execute])
  // A displayed result is updated with the rules.
  const isShown = run !== undefined || refusal !== undefined
  useEffect(() => {
    if (!isShown || started.current === draft) return
    const timer = setTimeout(() => void executeInput(executed, stubs), UPDATE_DELAY_MS)
    return () => clearTimeout(timer)
  }, [draft, isShown, executed, stubs, executeInput])
  const clear = useCallback(() => {
    setRun(undefined)
    setRefusal(undefined)
  }, [])
  return { text, input, run, executed, stubs, shown, refusal, write, execute, stepTo, clear }
}

/** The object of a text; undefined if the text is not a JSON object. */
export function inputOf(text: string): Input | undefined {
  const read = parseJson(text, { duplicateKeys: 'last', numbers: 'exact' })
  return read.kind === 'parsed' && isObject(read.value) ? read.value : undefined
}
