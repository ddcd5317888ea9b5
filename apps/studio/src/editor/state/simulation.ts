import type { Case, DraftRuleset } from '@engine/authoring'
import { isObject, parseJson, type Value } from '@engine/expression'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { ask } from '../../language/language.ts'
import type { LocalRun, Surroundings } from '../../language/tasks.ts'
import { pretty } from '../../ui/json-text.ts'

type Input = { readonly [key: string]: Value }

export interface Simulation {
  /** The input as it is written; it may be no JSON while it is typed. */
  readonly text: string
  readonly input: Input | undefined
  readonly run: LocalRun | undefined
  /** The input that was executed, as it was written. */
  readonly executed: string
  /** Steps of the execution that are shown: fewer than all while one steps through it. */
  readonly shown: number
  /** Why nothing was executed. */
  readonly refusal: string | undefined
  write(text: string): void
  execute(text?: string): Promise<void>
  /** Show the execution up to a step, from 1. */
  stepTo(shown: number): void
  clear(): void
}

/** Executions of the draft on the screen, in the browser: nothing is sent. */
export function useSimulation(
  draft: DraftRuleset,
  /** The draft of this moment, which the page may not have drawn yet. */
  current: () => DraftRuleset,
  surroundings: Surroundings,
  cases: readonly Case[],
  /** All that an execution needs has arrived; one that is asked for before waits for it. */
  isReady: boolean,
): Simulation {
  const [written, write] = useState<string>()
  const [run, setRun] = useState<LocalRun>()
  const [executed, setExecuted] = useState('')
  const [shown, stepTo] = useState(0)
  const [refusal, setRefusal] = useState<string>()
  const text = written ?? pretty(cases[0]?.input ?? draft.samples?.[0]?.input ?? {})
  const input = useMemo(() => inputOf(text), [text])
  const [wanted, want] = useState<{ readonly text: string | undefined }>()
  const execute = useCallback(
    async (asked?: string) => {
      if (!isReady) {
        want({ text: asked })
        return
      }
      const given = asked ?? text
      write(given)
      const read = parseJson(given, { duplicateKeys: 'refuse' })
      if (read.kind === 'failed') {
        setRefusal(read.problem.message)
        return
      }
      try {
        const outcome = await ask('run', { draft: current(), ...surroundings, input: read.value })
        setRun(outcome.kind === 'ran' ? outcome.run : undefined)
        setExecuted(given)
        stepTo(outcome.kind === 'ran' ? outcome.run.steps.length : 0)
        setRefusal(
          outcome.kind === 'ran'
            ? undefined
            : (outcome.problems.find(({ severity }) => severity === 'error')?.message ?? ''),
        )
      } catch (error) {
        setRefusal((error as Error).message)
      }
    },
    [current, surroundings, text, isReady],
  )
  useEffect(() => {
    if (!isReady || wanted === undefined) return
    want(undefined)
    void execute(wanted.text)
  }, [isReady, wanted, execute])
  const clear = useCallback(() => {
    setRun(undefined)
    setRefusal(undefined)
  }, [])
  return { text, input, run, executed, shown, refusal, write, execute, stepTo, clear }
}

/** The object of a text; undefined: it is none. */
export function inputOf(text: string): Input | undefined {
  const read = parseJson(text, { duplicateKeys: 'last' })
  return read.kind === 'parsed' && isObject(read.value) ? read.value : undefined
}
