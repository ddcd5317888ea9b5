import type { Case } from '@engine/authoring'
import { parseJson, stringifyJson } from '@engine/expression'
import { useCallback, useEffect, useRef } from 'react'
import { pretty } from '../../ui/json-text.ts'
import type { EditorSearch } from './search.ts'

/** Characters of an input in an address: longer ones are cut off on their way. */
const MAX_LENGTH = 1500

interface LinkedRunProps {
  readonly search: EditorSearch
  readonly go: (search: EditorSearch, isNew: boolean) => void
  /** Undefined: they have not arrived yet. */
  readonly cases: readonly Case[] | undefined
  /** The input that was executed, as it was written. */
  readonly executed: string
  readonly execute: (input: string) => void
}

/**
 * The run of the address is executed when the page is opened, and the address names each run of a saved case. Other inputs may be
 * private, and addresses are kept by those that pass them on: such a run is linked when its reader asks for it. Gives how;
 * undefined: there is nothing to link, or its input is too long.
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
    const input = cases.find(({ id }) => id === run)?.input
    const text = input === undefined ? run : pretty(input)
    if (parseJson(text, { duplicateKeys: 'refuse' }).kind === 'parsed') execute(text)
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

/** JSON without spaces; undefined: it is none. */
function compact(text: string): string | undefined {
  const read = parseJson(text, { duplicateKeys: 'last' })
  return read.kind === 'parsed' ? stringifyJson(read.value) : undefined
}
