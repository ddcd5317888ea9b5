import { useSyncExternalStore } from 'react'

/**
 * Single-character shortcuts (WCAG 2.1.4): speech input could trigger them, so users can turn them off. Shortcuts of
 * the canvas and the table work only while these have the focus, and are not affected.
 */
const STORED = 'studio.letter-keys'
const listeners = new Set<() => void>()

const hasLetterKeys = (): boolean => localStorage.getItem(STORED) !== 'off'

export function turnLetterKeys(isOn: boolean): void {
  localStorage.setItem(STORED, isOn ? 'on' : 'off')
  for (const listener of listeners) listener()
}

export function useLetterKeys(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, hasLetterKeys)
}

/** Whether a key event is a single-letter shortcut, outside text fields and dialogs. */
export function isLetterKey({ ctrlKey, metaKey, altKey, target, defaultPrevented }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || !hasLetterKeys()) return false
  return (
    target instanceof Element &&
    !target.matches('input, textarea, select, [contenteditable]') &&
    target.closest('.cm-editor, [role=grid], [role=dialog], [role=menu]') === null
  )
}
