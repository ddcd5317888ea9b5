import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap } from '@codemirror/commands'
import { bracketMatching } from '@codemirror/language'
import { type Diagnostic, nextDiagnostic, setDiagnostics } from '@codemirror/lint'
import type { EditorState, Extension, TransactionSpec } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import type { Problem } from '@engine/expression'
import { completions, type Known } from './complete.ts'

/** Typing assistance: completion, bracket matching and editor shortcuts. */
export const assistance = (known: () => Known): Extension => [
  keymap.of([
    { key: 'F8', run: nextDiagnostic },
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
  ]),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ override: [(context) => completions(known(), context)], icons: false }),
]

/** A transaction that underlines problems in the text. */
export const underlined = (state: EditorState, problems: readonly Problem[]): TransactionSpec =>
  setDiagnostics(
    state,
    problems.map((problem) => diagnosticOf(problem, state.doc.length)),
  )

function diagnosticOf({ at, message }: Problem, length: number): Diagnostic {
  const from = Math.min(at.start, length)
  return { from, to: Math.min(Math.max(at.end, from + 1), length), severity: 'error', message }
}
