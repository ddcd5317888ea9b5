import { useEffect } from 'react'

interface EditorActions {
  readonly save: () => Promise<void>
  readonly undo: () => void
  readonly redo: () => void
  readonly execute: () => void
  readonly mayEdit: boolean
}

/** Keys of the whole editor. Texts that are being typed have their own undo. */
export function useEditorKeys({ save, undo, redo, execute, mayEdit }: EditorActions): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      const target = event.target as HTMLElement
      const isTyping = target.matches('input, textarea') || target.closest('.cm-editor') !== null
      const key = event.key.toLowerCase()
      const act =
        key === 's'
          ? () => mayEdit && void save()
          : key === 'enter'
            ? execute
            : isTyping
              ? undefined
              : key === 'z'
                ? event.shiftKey
                  ? redo
                  : undo
                : key === 'y'
                  ? redo
                  : undefined
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [save, undo, redo, execute, mayEdit])
}
