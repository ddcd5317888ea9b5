import { useSyncExternalStore } from 'react'

/**
 * Keys of a single letter or sign (WCAG 2.1.4): speech input would press them by its words, so that they can be turned off. Those of
 * canvas and table count in these alone, and are no part of this.
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

/** Whether a key is a letter for a shortcut, and not one of a text or of a dialog. */
export function isLetterKey({ ctrlKey, metaKey, altKey, target, defaultPrevented }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || !hasLetterKeys()) return false
  const element = target as HTMLElement
  return (
    !element.matches('input, textarea, select, [contenteditable]') &&
    element.closest('.cm-editor, [role=grid], [role=dialog], [role=menu]') === null
  )
}
