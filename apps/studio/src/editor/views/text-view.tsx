import type { DraftRuleset } from '@engine/authoring'
import { useEffect, useMemo, useRef, useState } from 'react'
import { JsonEditor } from '../../expression-editor/json-editor.tsx'
import { ask } from '../../language/language.ts'
import { useTexts } from '../../texts/texts.tsx'
import { pretty } from '../../ui/json-text.ts'
import type { Apply } from '../state/editing.ts'

/** Debounce delay before a typed text is applied to the draft. */
const APPLY_DELAY_MS = 300

/** The whole draft as JSON. Invalid text stays in the editor, with the reason. */
export function TextView({ draft, apply }: { readonly draft: DraftRuleset; readonly apply: Apply | undefined }) {
  const { editor } = useTexts()
  const [problem, setProblem] = useState<string>()
  const written = useRef<DraftRuleset>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const shown = useRef('')
  const text = useMemo(() => (written.current === draft ? shown.current : pretty(draft)), [draft])
  shown.current = text
  useEffect(() => () => clearTimeout(timer.current), [])
  const read = async (typed: string) => {
    const { draft: decoded, problem: fault } = await ask('decode', typed)
    setProblem(fault)
    if (decoded === undefined) return
    // The typed text is kept: only an external change rewrites it.
    shown.current = typed
    written.current = decoded
    apply?.(editor.editJson, () => decoded, 'text')
  }
  return (
    <div className="text-view">
      <JsonEditor
        label={editor.json}
        value={text}
        change={
          apply &&
          ((typed) => {
            clearTimeout(timer.current)
            timer.current = setTimeout(() => void read(typed), APPLY_DELAY_MS)
          })
        }
      />
      {problem !== undefined && (
        <p className="note" data-tone="bad" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
