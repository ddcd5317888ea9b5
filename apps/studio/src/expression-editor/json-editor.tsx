import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { nonce, theme } from './extensions.ts'
import { readSelection } from './selection.ts'

const style = HighlightStyle.define([
  { tag: tags.string, color: 'var(--s-string)' },
  { tag: tags.number, color: 'var(--s-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--s-keyword)' },
  { tag: tags.propertyName, color: 'var(--text)' },
])

/** A JSON editor with line numbers, folding and search. */
export function JsonEditor({
  label,
  value,
  change,
}: {
  readonly label: string
  readonly value: string
  readonly change: ((text: string) => void) | undefined
}) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef(change)
  latest.current = change
  useEffect(() => {
    const parent = host.current
    if (parent === null) return
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc: value,
        extensions: [
          nonce(),
          EditorState.readOnly.of(change === undefined),
          lineNumbers(),
          foldGutter(),
          history(),
          bracketMatching(),
          highlightSelectionMatches(),
          json(),
          syntaxHighlighting(style),
          keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter')]),
          theme,
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
          EditorView.updateListener.of(({ docChanged, transactions, state }) => {
            if (docChanged && !transactions.some((one) => one.isUserEvent('external')))
              latest.current?.(state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => {
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
  return <div className="json" ref={host} />
}
