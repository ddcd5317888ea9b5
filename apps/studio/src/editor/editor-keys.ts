import { useEffect, useRef } from 'react'

interface EditorActions {
  readonly save: () => Promise<void>
  readonly undo: () => void
  readonly redo: () => void
  readonly execute: () => void
  /** Undefined if there is no execution to save. */
  readonly saveAsTest: (() => void) | undefined
  readonly showProblem: (way: 1 | -1) => void
  readonly mayEdit: boolean
}

/** Keyboard shortcuts of the whole editor, unless a dialog is open. */
export function useEditorKeys(actions: EditorActions): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = event.defaultPrevented || isBehindDialog() ? undefined : actOf(event, latest.current)
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

const isBehindDialog = () => document.querySelector('[role=dialog]') !== null

function actOf(event: KeyboardEvent, actions: EditorActions): (() => unknown) | undefined {
  const { ctrlKey, metaKey, shiftKey } = event
  if (event.key === 'F8') return () => actions.showProblem(shiftKey ? -1 : 1)
  if (!ctrlKey && !metaKey) return undefined
  switch (event.key.toLowerCase()) {
    case 's':
      return () => actions.mayEdit && actions.save()
    case 'enter':
      // Browsers reserve Ctrl Shift T, which reopens closed tabs.
      return shiftKey ? actions.saveAsTest : actions.execute
    case 'z':
      return isTyping(event) ? undefined : shiftKey ? actions.redo : actions.undo
    case 'y':
      return isTyping(event) ? undefined : actions.redo
    default:
      return undefined
  }
}

/** Text fields have their own undo. */
function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof Element && (target.matches('input, textarea') || target.closest('.cm-editor') !== null)
}
