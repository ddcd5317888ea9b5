import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, placeholder, tooltips } from '@codemirror/view'
import type { Problem } from '@engine/expression'
import { type RefObject, useEffect, useId, useRef, useState } from 'react'
import { ask } from '../language/language.ts'
import '../styles/expression-editor.css'
import { problemText } from '../problem-text/problem-words.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Known } from './complete.ts'
import { colours, hints, nonce, theme } from './extensions.ts'
import { readSelection } from './selection.ts'

/** Debounce delays after the last key press: before the text is checked, and before it is written to the draft. */
const CHECK_DELAY_MS = 80
const FLUSH_DELAY_MS = 150

/** Typing assistance is loaded after the field is rendered: its code is half as large again as that of the field. */
let loaded: typeof import('./assistance.ts') | undefined
const load = async () => {
  // If loading fails, this field has no completion, and the next field retries.
  loaded ??= await import('./assistance.ts').catch(() => undefined)
  return loaded
}

export interface ExpressionEditorProps {
  readonly label: string
  readonly value: string
  /** Undefined: read-only. */
  readonly change: ((text: string) => void) | undefined
  readonly known: Known
  readonly undo: () => void
  readonly redo: () => void
}

/** An expression with highlighting, completion and underlined problems. Undo and redo are those of the whole draft. */
export function ExpressionEditor({ label, value, change, known, undo, redo }: ExpressionEditorProps) {
  const { expression } = useTexts()
  const id = useId()
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef({ change, known, undo, redo })
  latest.current = { change, known, undo, redo }
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const hint = expression.hint
  useEffect(() => {
    const parent = host.current
    if (parent === null) return
    let checkTimer: ReturnType<typeof setTimeout> | undefined
    let keepTimer: ReturnType<typeof setTimeout> | undefined
    const keep = () => {
      if (keepTimer === undefined) return
      clearTimeout(keepTimer)
      keepTimer = undefined
      latest.current.change?.(editor.state.doc.toString())
    }
    const checkNow = async () => {
      const text = editor.state.doc.toString()
      const types = Object.fromEntries(latest.current.known.fields.map(({ path, type }) => [path, type]))
      // Nothing is underlined if the check fails.
      const found = text.trim() === '' ? [] : await ask('check', { text, types }).catch(() => [])
      if (view.current !== editor || editor.state.doc.toString() !== text) return
      setProblems(found)
      const lint = found.length === 0 ? loaded : await load()
      if (lint === undefined || view.current !== editor || editor.state.doc.toString() !== text) return
      readSelection(editor)
      editor.dispatch(lint.underlined(editor.state, found))
    }
    const knowledge = () => latest.current.known
    const helped = new Compartment()
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc: value,
        extensions: extensionsOf({
          isReadOnly: change === undefined,
          label,
          hint,
          describedBy: `${id}problem`,
          known: knowledge,
          help: helped,
          keep,
          undo: () => latest.current.undo(),
          redo: () => latest.current.redo(),
          changed(isExternal) {
            clearTimeout(checkTimer)
            checkTimer = setTimeout(() => void checkNow(), CHECK_DELAY_MS)
            if (isExternal) return
            clearTimeout(keepTimer)
            keepTimer = setTimeout(keep, FLUSH_DELAY_MS)
          },
        }),
      }),
    })
    view.current = editor
    const help = async () => {
      const found = await load()
      if (found === undefined || view.current !== editor) return
      readSelection(editor)
      editor.dispatch({ effects: helped.reconfigure(found.assistance(knowledge)) })
    }
    if (loaded === undefined) void help()
    void checkNow()
    return () => {
      keep()
      clearTimeout(checkTimer)
      view.current = null
      editor.destroy()
    }
    // eslint-disable-next-line -- one editor as long as the field is shown; `latest` reads changing values
  }, [change === undefined])
  useEffect(() => {
    const editor = view.current
    if (editor === null || editor.state.doc.toString() === value) return
    readSelection(editor)
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value }, userEvent: 'external' })
  }, [value])
  const [first] = problems
  return (
    <div className="xp" data-bad={first === undefined ? undefined : ''}>
      <div ref={host} />
      <div id={`${id}problem`} aria-live="polite">
        {first !== undefined && <FirstProblem problem={first} view={change && view} />}
      </div>
    </div>
  )
}

/** A problem in words, with a button for the quick fix. */
function FirstProblem({
  problem: { fix, ...problem },
  view,
}: {
  readonly problem: Problem
  /** Undefined: read-only. */
  readonly view: RefObject<EditorView | null> | undefined
}) {
  const { conditions, problemMessages } = useTexts()
  return (
    <div className="xp-problem">
      <Icon name="alert" size={13} />
      <span>{problemText(problem, problemMessages)}</span>
      {fix !== undefined && view !== undefined && (
        <button
          type="button"
          className="link"
          onClick={() => {
            view.current?.dispatch({ changes: { from: fix.span.start, to: fix.span.end, insert: fix.text } })
            view.current?.focus()
          }}
        >
          {conditions.replace(fix.text)}
        </button>
      )}
    </div>
  )
}

interface ExtensionParts {
  readonly isReadOnly: boolean
  readonly label: string
  readonly hint: string
  /** Id of the element that displays the first problem. */
  readonly describedBy: string
  readonly known: () => Known
  /** Contains the typing assistance once it is loaded. */
  readonly help: Compartment
  /** Flushes the text into the draft. */
  readonly keep: () => void
  readonly undo: () => void
  readonly redo: () => void
  /** Called when the text has changed; `isExternal` is true if the change was not typed by the user. */
  readonly changed: (isExternal: boolean) => void
}

function extensionsOf(parts: ExtensionParts): Extension {
  const { isReadOnly, label, hint, describedBy, known, help, keep, undo, redo, changed } = parts
  return [
    nonce(),
    EditorState.readOnly.of(isReadOnly),
    EditorView.editable.of(!isReadOnly),
    keymap.of([
      { key: 'Mod-z', run: () => (keep(), undo(), true) },
      { key: 'Mod-y', run: () => (redo(), true) },
      { key: 'Mod-Shift-z', run: () => (redo(), true) },
      // Flush the text into the draft before it is saved or run.
      { key: 'Mod-s', run: () => (keep(), false) },
      { key: 'Mod-Enter', run: () => (keep(), false) },
    ]),
    help.of(loaded?.assistance(known) ?? []),
    colours,
    hints(known),
    tooltips({ parent: document.getElementById('main') ?? document.body, position: 'fixed' }),
    EditorView.lineWrapping,
    theme,
    placeholder(hint),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-describedby': describedBy,
      spellcheck: 'false',
      autocorrect: 'off',
    }),
    EditorView.domEventHandlers({ blur: keep }),
    EditorView.updateListener.of(({ docChanged, transactions }) => {
      if (docChanged) changed(transactions.some((one) => one.isUserEvent('external')))
    }),
  ]
}
