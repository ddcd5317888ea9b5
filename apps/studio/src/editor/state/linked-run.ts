import type { CaseStubs } from '@engine/analysis'
import type { Case } from '@engine/authoring'
import { parseJson, stringifyJson } from '@engine/expression'
import { useCallback, useEffect, useRef } from 'react'
import { pretty } from '../../ui/json-text.ts'
import type { EditorSearch } from './search.ts'

/** Maximum length of an input in a URL: longer ones are truncated in transit. */
const MAX_LENGTH = 1500

interface LinkedRunProps {
  readonly search: EditorSearch
  readonly go: (search: EditorSearch, isNew: boolean) => void
  /** Undefined while loading. */
  readonly cases: readonly Case[] | undefined
  /** The text of the executed input. */
  readonly executed: string
  readonly execute: (input: string, stubs: CaseStubs) => void
}

/**
 * Opening the page executes the run in its URL, and each run of a saved case updates the URL. Other inputs may be
 * private, and URLs are shared and logged: these runs are linked only on request. Returns the function that creates the
 * link; undefined if there is nothing to link, or the input is too long.
 */
export function useLinkedRun({ search, go, cases, executed, execute }: LinkedRunProps): (() => void) | undefined {
  const { run } = search
  const known = useRef<string>(undefined)
  const put = useCallback(
    (next: string | undefined) => {
      known.current = next
      const { run: _before, ...others } = search
      go(next === undefined ? others : { ...others, run: next }, false)
    },
    [go, search],
  )
  useEffect(() => {
    if (run === undefined || run === known.current || cases === undefined) return
    known.current = run
    const { input, stubs = {} } = cases.find(({ id }) => id === run) ?? {}
    const text = input === undefined ? run : pretty(input)
    if (parseJson(text, { duplicateKeys: 'refuse' }).kind === 'parsed') execute(text, stubs)
  }, [run, cases, execute])
  const last = useRef('')
  useEffect(() => {
    if (executed === last.current) return
    last.current = executed
    const named = cases?.find(({ input }) => pretty(input) === executed)?.id
    const isLinked = run !== undefined && compact(run) !== undefined && compact(run) === compact(executed)
    if (named !== run && !isLinked) put(named)
  }, [executed, cases, run, put])
  const text = compact(executed)
  return text === undefined || text.length > MAX_LENGTH ? undefined : () => put(text)
}

/** JSON without spaces; undefined: the text is not JSON. */
function compact(text: string): string | undefined {
  const read = parseJson(text, { duplicateKeys: 'last', numbers: 'exact' })
  return read.kind === 'parsed' ? stringifyJson(read.value) : undefined
}
