import { useSyncExternalStore } from 'react'

/**
 * Keys of a single letter or sign (WCAG 2.1.4): speech input would press them by its words, so that users can turn them
 * off. Those of canvas and table only work while these have the focus, and are not included.
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

/** Whether a key is a letter for a shortcut, outside of texts and dialogs. */
export function isLetterKey({ ctrlKey, metaKey, altKey, target, defaultPrevented }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || !hasLetterKeys()) return false
  return (
    target instanceof Element &&
    !target.matches('input, textarea, select, [contenteditable]') &&
    target.closest('.cm-editor, [role=grid], [role=dialog], [role=menu]') === null
  )
}
